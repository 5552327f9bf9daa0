-- SPDX-License-Identifier: Apache-2.0
-- One observation of a page, as store.h says it to the letter. The rules are those of lifetime.c,
-- which names and explains them; the conformance suite holds the two to the same counts.
--
-- KEYS[1]  the site: a hash whose field "h" is the head (clock 4, version 8, then the cursor of
--          the sweeper as text) and whose other fields are keys (9) with their values (entry.h)
-- ARGV[1]  learn (1), min_df (4), Tb (4), max_entries (4), idle seconds (4), fingerprint (2),
--          the keys of the document's id (9) and text (9), then the lifetimes by DF (4 each)
-- ARGV[2]  the keys (9 each)
-- Answer   clock (4), version (8), counted (1), then DF (4) and last (4) of each key;
--          if Redis refuses to write: an array of that, as it was before, and of the reason
local pack, take, sub, rep, min = struct.pack, struct.unpack, string.sub, string.rep, math.min
local site = KEYS[1]
local learn, min_df, tb, max_entries, idle, fp, id, text, at =
    take('<BI4I4I4I4c2c9c9', ARGV[1])
local n = #ARGV[2] / 9
local MOST = 4294967295 -- of a clock, of a DF
-- arguments of one call: Lua's stack holds 8000. Many to a call, as calls are what costs time
local CHUNK, BATCH = 4000, 200

local lifetimes = { take('<' .. rep('I4', (#ARGV[1] - at + 1) / 4), ARGV[1], at) }
local longest = #lifetimes - 1 -- the last is the position reached

local function is_live(df, last, now)
    return df > 0 and last <= now and now - last <= lifetimes[df < longest and df or longest]
end

-- DF and last; DF 0 for what is no value of ours
local function decode(value)
    local len = #value
    if len % 2 == 0 and len >= 4 then
        return len > 4 and (len - 4) / 2 or 1, (take('<I4', value))
    elseif len >= 9 then
        local last, df = take('<I4I4', value)
        return df, last
    end
    return 0, 0
end

local function prints(value)
    return sub(value, #value % 2 == 0 and 5 or 10)
end

local function has(fps, one)
    for i = 1, #fps, 2 do
        if sub(fps, i, i + 1) == one then
            return true
        end
    end
    return false
end

-- everything is read before anything is written, so that a refusal leaves counts that are good
local fields = { 'h', id, text }
for from = 0, n - 1, BATCH do
    local m = min(BATCH, n - from)
    local keys = { take(rep('c9', m), ARGV[2], from * 9 + 1) }
    for i = 1, m do
        fields[from + i + 3] = keys[i]
    end
end
local values = redis.call('HMGET', site, unpack(fields, 1, min(CHUNK, n + 3)))
for from = CHUNK + 1, n + 3, CHUNK do
    local more = redis.call('HMGET', site, unpack(fields, from, min(from + CHUNK - 1, n + 3)))
    for i = 1, #more do
        values[from + i - 1] = more[i]
    end
end

local now, version, cursor = 0, 0, '0'
local head = values[1]
if head and #head >= 12 then
    now, version = take('<I4I8', head)
    cursor = sub(head, 13)
end
local now_before, version_before = now, version

-- counts: DF and last of each key in turn
local function answer(clock, grown, counted, counts)
    local parts = { pack('<I4I8B', clock, grown, counted and 1 or 0) }
    for from = 1, 2 * n, BATCH do
        local to = min(from + BATCH - 1, 2 * n)
        parts[#parts + 1] = pack('<' .. rep('I4', to - from + 1), unpack(counts, from, to))
    end
    return table.concat(parts)
end

-- the answer of who has not learnt
local function look()
    local counts = {}
    for i = 1, n do
        local value, df, last = values[i + 3], 0, 0
        if value then
            df, last = decode(value)
            if not is_live(df, last, now_before) then
                df, last = 0, 0
            end
        end
        counts[2 * i - 1], counts[2 * i] = df, last
    end
    return answer(now_before, version_before, false, counts)
end

local function is_known(value)
    if value then
        local df, last = decode(value)
        return is_live(df, last, now), last
    end
    return false
end
local id_known = is_known(values[2])
local text_known, text_last = is_known(values[3])

if learn == 0 or (text_known and (now - text_last) * 4 < tb) then
    -- a site that is only read is in use, too; a replica refuses this, and need not care
    if head and redis.call('TTL', site) < idle - idle / 16 then
        redis.pcall('EXPIRE', site, idle)
    end
    return look()
end

local counted, wanted, counts, puts, written = false, 0, {}, {}, {}

local function put(key, value)
    puts[#puts + 1] = key
    puts[#puts + 1] = value
    written[key] = true
end

-- a value with the clock of now; explicit: with its DF, which is not the number of fingerprints
local function encode(df, fps, explicit)
    return (explicit and pack('<I4I4B', now, df, 0) or pack('<I4', now)) .. fps
end

-- step 2: a text known for long
local function refresh()
    put(text, pack('<I4', now) .. sub(values[3], 5))
    for i = 1, n do
        local value, df = values[i + 3], 0
        if value then
            local found, last = decode(value)
            if is_live(found, last, now) then
                df = found
                put(fields[i + 3], pack('<I4', now) .. sub(value, 5))
            end
        end
        counts[2 * i - 1], counts[2 * i] = df, df > 0 and now or 0
    end
end

-- step 3 for a key that is live: DF and fingerprints
local function grow(df, value)
    if df >= min_df then
        return counted and df < MOST and df + 1 or df, ''
    end
    local fps = prints(value)
    if has(fps, fp) then
        return df, fps
    elseif df + 1 == min_df then
        version = version + 1
        return df + 1, ''
    end
    return df + 1, fps .. fp
end

-- steps 1 and 3
local function count()
    local held = redis.call('HLEN', site) - (head and 1 or 0)
    counted = not id_known and now < MOST
    now = counted and now + 1 or now
    local new = encode(1, fp)
    for i = 1, n do
        local value, df = values[i + 3], 0
        if value then
            local found, last = decode(value)
            if is_live(found, last, now) then
                local fps
                df, fps = grow(found, value)
                put(fields[i + 3], encode(df, fps, fps == '' or df * 2 ~= #fps))
            else
                df = 1
                put(fields[i + 3], new)
            end
        else
            wanted = wanted + 1
            if held < max_entries then
                held = held + 1
                df = 1
                put(fields[i + 3], new)
            end
        end
        counts[2 * i - 1], counts[2 * i] = df, df > 0 and now or 0
    end
    put(id, pack('<I4', now))
    put(text, pack('<I4', now))
end

-- the sweeper: over twice as many entries as are new, as lmdb.c has it
local function sweep()
    local dead, budget = {}, 16 + 2 * wanted
    repeat
        local scan = redis.call('HSCAN', site, cursor, 'COUNT', budget)
        local found = scan[2]
        cursor = scan[1]
        for i = 1, #found, 2 do
            local key = found[i]
            if key ~= 'h' and not written[key] then
                local df, last = decode(found[i + 1])
                if not is_live(df, last, now) then
                    dead[#dead + 1] = key
                end
            end
        end
        budget = budget - #found / 2
    until budget <= 0 or cursor == '0'
    return dead
end

if text_known then
    refresh()
else
    count()
end
local dead = head and sweep() or {}
put('h', pack('<I4I8', now, version) .. cursor)
for from = 1, #puts, CHUNK do
    local done = redis.pcall('HSET', site, unpack(puts, from, min(from + CHUNK - 1, #puts)))
    if type(done) == 'table' and done.err then
        -- only the first write can be refused: Redis checks before a script changes anything
        return from == 1 and { look(), done.err } or redis.error_reply(done.err)
    end
end
for from = 1, #dead, CHUNK do
    redis.call('HDEL', site, unpack(dead, from, min(from + CHUNK - 1, #dead)))
end
redis.call('EXPIRE', site, idle)
return answer(now, version, counted, counts)
