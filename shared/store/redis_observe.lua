-- SPDX-License-Identifier: Apache-2.0
-- One observation of a page, as store.h says it to the letter. The rules are those of lifetime.c,
-- which names and explains them; the conformance suite holds the two to the same counts.
--
-- KEYS[1]  the site: a hash whose field "h" is the head: clock 4, version 8, entries 4, of
--          documents and of segments how many drawers (4) and how many entries in them (4), then the
--          cursor of the sweeper as text. Its other fields are keys (9) with their values (entry.h), and
--          the drawers of entries seen once (drawer.h): kind + 128 (1), number (3)
-- ARGV[1]  learn (1), min_df (4), Tb (4), max_entries (4), idle seconds (4), the number of segments
--          among the keys (4), fingerprint (2), the keys of the document's id (9) and text (9), then
--          the lifetimes by DF (4 each)
-- ARGV[2]  the keys (9 each), segments first, then paths
-- ARGV[3]  to learn: the shares of all parts in turn: which segment (4), from 1, and bytes (4)
-- ARGV[4]  to learn: the parts: three paths (4 each), from 1, 0 for none, and how many shares (4)
-- Answer   clock (4), version (8), counted (1), then DF (4) and last (4) of each key, and for a path
--          text (4) and repeated (4) as well; if Redis refuses to write: an
--          array of that, as it was before, and of the reason
local pack, take, sub, rep, byte = struct.pack, struct.unpack, string.sub, string.rep, string.byte
local find, char, min, floor = string.find, string.char, math.min, math.floor
local site = KEYS[1]
local learn, min_df, tb, max_entries, idle, segments, fp, id, text, at =
    take('<BI4I4I4I4I4c2c9c9', ARGV[1])
local n = #ARGV[2] / 9
local MOST = 4294967295 -- of a clock, of a DF, of text
local HALVE = 2147483648 -- past it a path's figures are halved
local DOCUMENT, SEGMENT, PATH = 0, 1, 2 -- the first byte of a key
-- as drawer.h has them: the bytes of a drawer's entry, by kind
local MOST_HELD, FULL, STRIDE = 48, 512, { [DOCUMENT] = 12, [SEGMENT] = 14 }
-- arguments of one call: Lua's stack holds 8000. Many to a call, as calls are what costs time
local CHUNK, BATCH = 4000, 200

local lifetimes = { take('<' .. rep('I4', (#ARGV[1] - at + 1) / 4), ARGV[1], at) }
local longest = #lifetimes - 1 -- the last is the position reached

local function is_live(df, last, now)
    return df > 0 and last <= now and now - last <= lifetimes[df < longest and df or longest]
end

-- DF, last, text and repeated of a path; DF 0 for what is no value of ours
local function decode_path(value)
    if #value ~= 16 then
        return 0, 0, 0, 0
    end
    local last, df, bytes, repeated = take('<I4I4I4I4', value)
    return df, last, bytes, min(repeated, bytes)
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

local now, version, held, cursor = 0, 0, 0, '0'
local drawers, in_drawers = { [DOCUMENT] = 0, [SEGMENT] = 0 }, { [DOCUMENT] = 0, [SEGMENT] = 0 }
local head = values[1]
if head and #head >= 32 then
    now, version, held, drawers[DOCUMENT], in_drawers[DOCUMENT], drawers[SEGMENT], in_drawers[SEGMENT] =
        take('<I4I8I4I4I4I4I4', head)
    cursor = sub(head, 33)
end
local now_before, version_before = now, version

local power = {} -- the least powers of two that are not below the numbers of drawers
local function drawers_begin(kind, count)
    drawers[kind], power[kind] = count, 1
    while power[kind] < count do
        power[kind] = power[kind] * 2
    end
end
for kind in pairs(STRIDE) do
    drawers_begin(kind, drawers[kind])
end

local names = { [DOCUMENT] = {}, [SEGMENT] = {} }
local function drawer_name(kind, i)
    local name = names[kind][i]
    if not name then
        name = char(128 + kind, floor(i / 65536), floor(i / 256) % 256, i % 256)
        names[kind][i] = name
    end
    return name
end

-- the field of the drawer of a key
local function drawer_of(kind, key)
    local a, b, c = byte(key, 7, 9)
    local i = (a * 65536 + b * 256 + c) % power[kind]
    if i >= drawers[kind] then
        i = i - power[kind] / 2
    end
    return drawer_name(kind, i)
end

-- where the entry of a key begins in the bytes of its drawer
local function locate(bytes, key, stride)
    local hash, at = sub(key, 2), 0
    repeat
        at = find(bytes, hash, at + 1, true)
    until not at or (at - 1) % stride == 0
    return at
end

-- drawers read; of the fields that do not stand alone: which drawer is theirs, and which they are in
local contents, place, home = {}, {}, {}
local function drawers_read()
    if drawers[SEGMENT] == 0 then
        return
    end
    local list, m, seek, k = {}, 0, {}, 0
    for i = 2, segments + 3 do
        if not values[i] then
            local name = drawer_of(i <= 3 and DOCUMENT or SEGMENT, fields[i])
            if not contents[name] then
                contents[name] = ''
                m = m + 1
                list[m] = name
            end
            place[i] = name
            k = k + 1
            seek[k] = i
        end
    end
    for from = 1, m, CHUNK do
        local to = min(from + CHUNK - 1, m)
        local found = redis.call('HMGET', site, unpack(list, from, to))
        for i = from, to do
            contents[list[i]] = found[i - from + 1] or ''
        end
    end
    for j = 1, k do
        local i = seek[j]
        local stride, name = i <= 3 and STRIDE[DOCUMENT] or STRIDE[SEGMENT], place[i]
        local at = locate(contents[name], fields[i], stride)
        if at then
            values[i], home[i] = sub(contents[name], at + 8, at + stride - 1), name
        end
    end
end
drawers_read()

-- counts: DF and last of each key in turn, of paths text and repeated as well
local function answer(clock, grown, counted, counts)
    local parts = { pack('<I4I8B', clock, grown, counted and 1 or 0) }
    for from = 1, #counts, BATCH do
        local to = min(from + BATCH - 1, #counts)
        parts[#parts + 1] = pack('<' .. rep('I4', to - from + 1), unpack(counts, from, to))
    end
    return table.concat(parts)
end

-- DF, last, text and repeated of path i, all 0 if it is not live
local function path_find(i, clock)
    if values[i + 3] then
        local df, last, bytes, repeated = decode_path(values[i + 3])
        if is_live(df, last, clock) then
            return df, last, bytes, repeated
        end
    end
    return 0, 0, 0, 0
end

local function path_tell(counts, i, df, last, bytes, repeated)
    local at = 4 * i - 2 * segments - 4
    counts[at + 1], counts[at + 2], counts[at + 3], counts[at + 4] = df, last, bytes, repeated
end

-- the answer of who has not learnt
local function look()
    local counts = {}
    for i = 1, segments do
        local value, df, last = values[i + 3], 0, 0
        if value then
            df, last = decode(value)
            if not is_live(df, last, now_before) then
                df, last = 0, 0
            end
        end
        counts[2 * i - 1], counts[2 * i] = df, last
    end
    for i = segments + 1, n do
        path_tell(counts, i, path_find(i, now_before))
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

local counted, wanted, counts, puts, written, changed = false, 0, {}, {}, {}, {}

local n_puts = 0 -- as #puts is a search
local function put(key, value)
    puts[n_puts + 1], puts[n_puts + 2] = key, value
    n_puts = n_puts + 2
    written[key] = true
end

-- so many entries of a drawer are gone
local function lost(kind, count)
    in_drawers[kind], held = in_drawers[kind] - count, held - count
end

-- the bytes of a drawer without the dead at its beginning; an entry is put at the end whenever it is seen
local function trimmed(kind, bytes)
    local stride, from = STRIDE[kind], 1
    while from <= #bytes and not is_live(1, (take('<I4', bytes, from + 8)), now) do
        from = from + stride
    end
    if from > 1 then
        lost(kind, (from - 1) / stride)
        return sub(bytes, from)
    end
    return bytes
end

-- puts the entry of field i, which is not held, into its drawer
local function drawer_add(kind, i, value)
    local key = fields[i]
    local name = place[i] or drawer_of(kind, key)
    local bytes = trimmed(kind, contents[name] or '')
    held = held + 1
    if #bytes >= FULL * STRIDE[kind] then
        put(key, value)
    else
        bytes = bytes .. sub(key, 2) .. value
        in_drawers[kind] = in_drawers[kind] + 1
    end
    contents[name], changed[name] = bytes, kind
end

-- takes the entry of field i out of its drawer, if it is still there
local function drawer_remove(kind, i)
    local name, stride = home[i], STRIDE[kind]
    local at = locate(contents[name], fields[i], stride)
    if at then
        contents[name] = sub(contents[name], 1, at - 1) .. sub(contents[name], at + stride)
        changed[name] = kind
        lost(kind, 1)
    end
end

-- the value of field i, a document or a segment, wherever it is to stand
local function write(kind, i, value)
    if home[i] then
        drawer_remove(kind, i)
    elseif values[i] then
        return put(fields[i], value)
    end
    if #value == STRIDE[kind] - 8 then
        return drawer_add(kind, i, value)
    end
    held = held + 1
    put(fields[i], value)
end

-- one drawer more: what belongs there comes out of one other
local function split(kind)
    local n = drawers[kind]
    if n + 1 > power[kind] then
        power[kind] = power[kind] * 2
    end
    drawers[kind] = n + 1
    local from, to = drawer_name(kind, n - power[kind] / 2), drawer_name(kind, n)
    local bytes = contents[from] or redis.call('HGET', site, from) or ''
    local stay, go, stride = {}, {}, STRIDE[kind]
    for at = 1, #bytes, stride do
        local entry = sub(bytes, at, at + stride - 1)
        local list = drawer_of(kind, 'k' .. entry) == to and go or stay
        list[#list + 1] = entry
    end
    contents[from], contents[to] = table.concat(stay), table.concat(go)
    changed[from], changed[to] = kind, kind
end

-- as many drawers as the entries call for
local function drawers_grow()
    for kind in pairs(STRIDE) do
        while drawers[kind] > 0 and drawers[kind] < floor(in_drawers[kind] / MOST_HELD) + 1 do
            split(kind)
        end
    end
end

-- a value with the clock of now; explicit: with its DF, which is not the number of fingerprints
local function encode(df, fps, explicit)
    return (explicit and pack('<I4I4B', now, df, 0) or pack('<I4', now)) .. fps
end

-- last = now in the paths that are live
local function refresh_paths()
    for i = segments + 1, n do
        local df, last, bytes, repeated = path_find(i, now)
        if df > 0 then
            last = now
            put(fields[i + 3], pack('<I4', now) .. sub(values[i + 3], 5))
        end
        path_tell(counts, i, df, last, bytes, repeated)
    end
end

-- step 2: a text known for long
local function refresh()
    write(DOCUMENT, 3, pack('<I4', now) .. sub(values[3], 5))
    for i = 1, segments do
        local value, df = values[i + 3], 0
        if value then
            local found, last = decode(value)
            if is_live(found, last, now) then
                df = found
                write(SEGMENT, i + 3, pack('<I4', now) .. sub(value, 5))
            end
        end
        counts[2 * i - 1], counts[2 * i] = df, df > 0 and now or 0
    end
    refresh_paths()
end

-- T and R of the shares up to each, by the DF that segments had before: sums, so that the loops stay
-- flat however the shares are parted
local function share_sums(before)
    local t_to, r_to, t, r, k = { [0] = 0 }, { [0] = 0 }, 0, 0, 0
    for from = 1, #ARGV[3], BATCH * 4 do
        local m = min(BATCH, (#ARGV[3] - from + 1) / 4)
        local list = { take('<' .. rep('I4', m), ARGV[3], from) }
        for i = 1, m, 2 do
            local which, len = list[i], list[i + 1]
            local df = counts[2 * which - 1]
            t = t + len
            if df >= 2 then
                r = r + (df == 2 and before[which] == 1 and 2 * len or len)
            end
            k = k + 1
            t_to[k], r_to[k] = t, r
        end
    end
    return t_to, r_to
end

-- the T and R of each path; no T: no part names it
local function credits(before)
    local t_to, r_to = share_sums(before)
    local texts, repeats, share = {}, {}, 0
    for from = 1, #ARGV[4], BATCH * 4 do
        local m = min(BATCH, (#ARGV[4] - from + 1) / 4)
        local list = { take('<' .. rep('I4', m), ARGV[4], from) }
        for i = 1, m, 4 do
            local a, b, c, after = list[i], list[i + 1], list[i + 2], share + list[i + 3]
            local t, r = t_to[after] - t_to[share], r_to[after] - r_to[share]
            share = after
            if a > 0 then texts[a], repeats[a] = (texts[a] or 0) + t, (repeats[a] or 0) + r end
            if b > 0 then texts[b], repeats[b] = (texts[b] or 0) + t, (repeats[b] or 0) + r end
            if c > 0 then texts[c], repeats[c] = (texts[c] or 0) + t, (repeats[c] or 0) + r end
        end
    end
    return texts, repeats
end

-- paths, of a document that counts
local function count_paths(before)
    local texts, repeats = credits(before)
    for i = segments + 1, n do
        local df, last, bytes, repeated = path_find(i, now)
        local t, r = texts[i - segments], repeats[i - segments]
        local is_new = t and not values[i + 3]
        if is_new then
            wanted = wanted + 1
        end
        if t and not (is_new and held >= max_entries) then
            held = held + (is_new and 1 or 0)
            if bytes + t > HALVE then
                bytes, repeated = floor(bytes / 2), floor(repeated / 2)
            end
            df, last, bytes = min(df + 1, MOST), now, min(bytes + t, MOST)
            repeated = min(repeated + r, bytes)
            put(fields[i + 3], pack('<I4I4I4I4', last, df, bytes, repeated))
        end
        path_tell(counts, i, df, last, bytes, repeated)
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
    if drawers[SEGMENT] == 0 then
        drawers_begin(DOCUMENT, 1)
        drawers_begin(SEGMENT, floor(segments / MOST_HELD) + 1)
    end
    counted = not id_known and now < MOST
    now = counted and now + 1 or now
    local new, before = encode(1, fp), {}
    for i = 1, segments do
        local value, df = values[i + 3], 0
        if value then
            local found, last = decode(value)
            if not is_live(found, last, now) then
                df = 1
                write(SEGMENT, i + 3, new)
            elseif found >= min_df and not home[i + 3] then
                -- what nearly all of a page's known segments are
                before[i] = found
                df = counted and found < MOST and found + 1 or found
                put(fields[i + 3], pack('<I4I4B', now, df, 0))
            else
                local fps
                before[i] = found
                df, fps = grow(found, value)
                write(SEGMENT, i + 3, encode(df, fps, fps == '' or df * 2 ~= #fps))
                wanted = wanted + (home[i + 3] and df > 1 and 1 or 0)
            end
        elseif held < max_entries then
            df = 1
            write(SEGMENT, i + 3, new)
        end
        counts[2 * i - 1], counts[2 * i] = df, df > 0 and now or 0
    end
    if counted then
        count_paths(before)
    else
        refresh_paths()
    end
    for i = 2, 3 do
        if i == 2 or text ~= id then
            write(DOCUMENT, i, pack('<I4', now))
        end
    end
end

-- the sweeper: over twice as many fields as are new, as lmdb.c has it
local function sweep()
    local dead, budget = {}, 16 + 2 * wanted
    repeat
        local scan = redis.call('HSCAN', site, cursor, 'COUNT', budget)
        local found = scan[2]
        cursor = scan[1]
        for i = 1, #found, 2 do
            local key, value = found[i], found[i + 1]
            local kind = #key == 4 and byte(key) - 128
            if STRIDE[kind] then
                local bytes = contents[key] or value
                contents[key] = trimmed(kind, bytes)
                if #contents[key] < #bytes then
                    changed[key] = kind
                end
            elseif key ~= 'h' and not written[key] then
                local is_path = byte(key) == PATH
                local df, last = (is_path and decode_path or decode)(value)
                if not is_live(df, last, now) then
                    dead[#dead + 1] = key
                    held = held - 1
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
drawers_grow()
for name in pairs(changed) do
    if #contents[name] > 0 then
        put(name, contents[name])
    else
        dead[#dead + 1] = name
    end
end
put('h', pack('<I4I8I4I4I4I4I4', now, version, held < 0 and 0 or held, drawers[DOCUMENT], in_drawers[DOCUMENT],
    drawers[SEGMENT], in_drawers[SEGMENT]) .. cursor)
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
