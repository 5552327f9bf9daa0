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
local site = KEYS[1]
local learn, min_df, tb, max_entries, idle, fp, id, text, at =
    struct.unpack('<BI4I4I4I4c2c9c9', ARGV[1])
local pack, unpack_, sub, concat = struct.pack, struct.unpack, string.sub, table.concat
-- arguments of one command: Lua's stack holds 8000
local CHUNK = 4000

local lifetimes = {}
for p = at, #ARGV[1], 4 do
    lifetimes[#lifetimes + 1] = unpack_('<I4', ARGV[1], p)
end
local longest = #lifetimes

local function is_live(df, last, now)
    return last <= now and now - last <= lifetimes[df < longest and df or longest]
end

-- DF, last and the fingerprints; DF 0 for what is no value of ours
local function decode(value)
    local len = #value
    if len % 2 == 0 and len >= 4 then
        return len > 4 and (len - 4) / 2 or 1, unpack_('<I4', value), sub(value, 5)
    elseif len >= 9 then
        local last, df = unpack_('<I4I4', value)
        return df, last, sub(value, 10)
    end
    return 0, 0, ''
end

local function encode(key, df, last, fps)
    local is_document = string.byte(key) == 0
    if (is_document and df == 1 and fps == '') or (not is_document and fps ~= '' and df * 2 == #fps) then
        return pack('<I4', last) .. fps
    end
    return pack('<I4I4B', last, df, 0) .. fps
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
local fields, n = { 'h', id, text }, #ARGV[2] / 9
for i = 0, n - 1 do
    fields[i + 4] = sub(ARGV[2], i * 9 + 1, i * 9 + 9)
end
local values = {}
for from = 1, n + 3, CHUNK do
    local got = redis.call('HMGET', site, unpack(fields, from, math.min(from + CHUNK - 1, n + 3)))
    if from == 1 then
        values = got
    else
        for i = 1, #got do
            values[from + i - 1] = got[i]
        end
    end
end

local now, version, cursor = 0, 0, '0'
local head = values[1]
if head and #head >= 12 then
    now, version = unpack_('<I4I8', head)
    cursor = sub(head, 13)
end

local function answer(counted, records)
    return pack('<I4I8B', now, version, counted and 1 or 0) .. concat(records)
end

local NONE = pack('<I4I4', 0, 0)
local records, dfs, lasts, prints = {}, {}, {}, {}
for i = 1, n do
    local value = values[i + 3]
    records[i] = NONE
    if value then
        local df, last, fps = decode(value)
        if df > 0 and is_live(df, last, now) then
            records[i] = pack('<I4I4', df, last)
        end
        dfs[i], lasts[i], prints[i] = df, last, fps
    end
end

local function is_known(value)
    if not value then
        return false
    end
    local df, last = decode(value)
    return df > 0 and is_live(df, last, now), last
end
local id_known = is_known(values[2])
local text_known, text_last = is_known(values[3])

if learn == 0 or (text_known and (now - text_last) * 4 < tb) then
    -- a site that is only read is in use, too; a replica refuses this, and need not care
    if head and redis.call('TTL', site) < idle - idle / 16 then
        redis.pcall('EXPIRE', site, idle)
    end
    return answer(false, records)
end

local before = answer(false, records)
local counted, wanted, puts, written = false, 0, {}, {}

local function put(key, df, last, fps)
    puts[#puts + 1] = key
    puts[#puts + 1] = encode(key, df, last, fps)
    written[key] = true
end

if text_known then
    local df, _, fps = decode(values[3])
    put(text, df, now, fps)
    for i = 1, n do
        if dfs[i] and dfs[i] > 0 and is_live(dfs[i], lasts[i], now) then
            put(fields[i + 3], dfs[i], now, prints[i])
            records[i] = pack('<I4I4', dfs[i], now)
        end
    end
else
    counted = not id_known and now < 4294967295
    if counted then
        now = now + 1
    end
    local held = redis.call('HLEN', site) - (head and 1 or 0)
    for i = 1, n do
        local df, last, fps = dfs[i], lasts[i], prints[i]
        local take = true
        if not df then
            wanted = wanted + 1
            take = held < max_entries
            if take then
                held = held + 1
            end
        end
        if not df or df == 0 or not is_live(df, last, now) then
            df, fps = 1, fp
        elseif df >= min_df then
            if counted and df < 4294967295 then
                df = df + 1
            end
            fps = ''
        elseif not has(fps, fp) then
            df = df + 1
            fps = fps .. fp
            if df == min_df then
                fps = ''
                version = version + 1
            end
        end
        if take then
            put(fields[i + 3], df, now, fps)
            records[i] = pack('<I4I4', df, now)
        end
    end
    put(id, 1, now, '')
    if text ~= id then
        put(text, 1, now, '')
    end
end

-- the sweeper: over twice as many entries as are new, as lmdb.c has it
local dead, budget = {}, 16 + 2 * wanted
if head then
    repeat
        local scan = redis.call('HSCAN', site, cursor, 'COUNT', budget)
        cursor = scan[1]
        local found = scan[2]
        for i = 1, #found, 2 do
            local key = found[i]
            if key ~= 'h' and not written[key] then
                local df, last = decode(found[i + 1])
                if df == 0 or not is_live(df, last, now) then
                    dead[#dead + 1] = key
                end
            end
        end
        budget = budget - #found / 2
    until budget <= 0 or cursor == '0'
end

puts[#puts + 1] = 'h'
puts[#puts + 1] = pack('<I4I8', now, version) .. cursor
for from = 1, #puts, CHUNK do
    local done = redis.pcall('HSET', site, unpack(puts, from, math.min(from + CHUNK - 1, #puts)))
    if type(done) == 'table' and done.err then
        -- only the first write can be refused: Redis checks before a script changes anything
        return from == 1 and { before, done.err } or redis.error_reply(done.err)
    end
end
for from = 1, #dead, CHUNK do
    redis.call('HDEL', site, unpack(dead, from, math.min(from + CHUNK - 1, #dead)))
end
redis.call('EXPIRE', site, idle)
return answer(counted, records)
