import { script } from './scripts.js';

const PAUSE_MAX_MS = 3_600_000;
/** How long a process still counts as waiting for a token after the token was due. */
const WAITS_MS = 250;
/**
 * The minimum time for which a host without queries is remembered; longer if its buckets are not full again by then.
 */
const KEPT_MS = 120_000;
const KEPT_MAX_MS = 90_000_000;

const TIME = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`;

/**
 * Takes tokens for one host from all of its buckets. An entry is a hash: the time when it was filled (at), the tokens
 * of each bucket (t1, …), the end of its pause (paused), consecutive throttles (strikes), and for each priority the
 * waiting process and the end of its wait (w0 live, w1 monitor, w2 bulk, w3 background). While another process waits
 * with a higher priority, a process with a lower one gets nothing. A clock that steps back refills nothing, and one
 * that leaps refills a bucket once.
 *
 * Keys: entry. Arguments: process, priority, tokens wanted, milliseconds until the end of the pause that the process
 * has recorded, '1' if the host has answered since its last throttling; then for each bucket: burst, tokens per second,
 * its tokens if there is no entry, and spent tokens that the entry lacks (negative: returned). Returns the tokens
 * granted, milliseconds to wait, milliseconds paused, strikes, and the tokens of each bucket as text.
 */
export const TAKE_UPSTREAM = script(`${TIME}
local me, priority, want = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local paused, hasAnswered = tonumber(ARGV[4]), ARGV[5] == '1'
local entry = {}
local flat = redis.call('HGETALL', KEYS[1])
for i = 1, #flat, 2 do entry[flat[i]] = flat[i + 1] end

local seconds = math.max(0, now - (tonumber(entry.at) or now)) / 1000
local granted, tokens, full = want, {}, ${KEPT_MS}
local buckets = (#ARGV - 5) / 4
for i = 1, buckets do
  local burst, rate = tonumber(ARGV[4 * i + 2]), tonumber(ARGV[4 * i + 3])
  local known, owed = tonumber(ARGV[4 * i + 4]), tonumber(ARGV[4 * i + 5])
  local held = tonumber(entry['t' .. i])
  held = held and math.min(burst, held + seconds * rate) or math.min(burst, known)
  tokens[i] = math.max(-burst, math.min(burst, held - owed))
  granted = math.min(granted, math.floor(tokens[i] + 1e-9))
  full = math.max(full, math.min(2 * burst / rate * 1000, ${KEPT_MAX_MS}))
end

local till = tonumber(entry.paused) or 0
paused = math.min(${PAUSE_MAX_MS}, math.max(paused, till - now, 0))
local yields = 0
for p = 0, priority - 1 do
  local who, at = string.match(entry['w' .. p] or '', '^(.*)/(%d+)$')
  if who and who ~= me then yields = math.max(yields, tonumber(at) - now) end
end
if paused > 0 or yields > 0 then granted = 0 end
granted = math.max(0, granted)

local wait = math.max(0, yields)
local set = { 'at', now }
for i = 1, buckets do
  local rate = tonumber(ARGV[4 * i + 3])
  tokens[i] = tokens[i] - granted
  if granted < want then wait = math.max(wait, math.ceil((1 - tokens[i]) / rate * 1000)) end
  set[#set + 1] = 't' .. i
  set[#set + 1] = string.format('%.9f', tokens[i])
end
if paused > 0 then
  set[#set + 1] = 'paused'
  set[#set + 1] = now + paused
end
local mark = 'w' .. priority
if granted < want and paused == 0 then
  set[#set + 1] = mark
  set[#set + 1] = me .. '/' .. (now + wait + ${WAITS_MS})
elseif string.sub(entry[mark] or '', 1, #me + 1) == me .. '/' then
  redis.call('HDEL', KEYS[1], mark)
end
redis.call('HSET', KEYS[1], unpack(set))
if hasAnswered then redis.call('HDEL', KEYS[1], 'strikes') end
redis.call('PEXPIRE', KEYS[1], math.max(full, paused))

local reply = { granted, wait, paused, hasAnswered and 0 or tonumber(entry.strikes) or 0 }
for i = 1, buckets do reply[#reply + 1] = string.format('%.9f', tokens[i]) end
return reply
`);

/** Pauses a host for all processes. Keys: entry. Arguments: milliseconds, consecutive throttles. */
export const PAUSE_UPSTREAM = script(`${TIME}
local forMs = math.min(${PAUSE_MAX_MS}, tonumber(ARGV[1]))
local till = math.max(now + forMs, tonumber(redis.call('HGET', KEYS[1], 'paused')) or 0)
redis.call('HSET', KEYS[1], 'paused', till, 'strikes', ARGV[2])
if redis.call('PTTL', KEYS[1]) < forMs + ${KEPT_MS} then
  redis.call('PEXPIRE', KEYS[1], forMs + ${KEPT_MS})
end
return 1
`);

/** The period in which callers count as sharing a budget that refills slowly. */
const RECENT_MS = 3_600_000;
/** The largest share of the remaining tokens that one caller gets. */
const ASKER_SHARE = 0.25;
const ASKERS_MAX = 10_000;
/** The idle time after which a caller has its full share again. */
const ASKERS_KEPT_MS = 90_000_000;

/**
 * Claims a query's share of those buckets of a host that refill slowly. While others are active, no caller gets more
 * than a quarter of the tokens that were left before its own recent queries; a sole caller may use all but the last
 * quarter. A caller without recent queries may always send one. An entry of callers is a hash: the claims of each
 * caller for each bucket with the time of counting (a:…), and the two latest callers (r0, r1). A full entry is cleared,
 * which benefits all callers.
 *
 * Keys: the host's entry, its callers. Arguments: the caller, the number of its queries that wait in the process, then
 * for each of these buckets: its position in the entry, burst, tokens per second. Returns 1 if the caller may query.
 */
export const CLAIM_SHARE = script(`${TIME}
local me, waiting = ARGV[1], tonumber(ARGV[2])
local seconds = math.max(0, now - (tonumber(redis.call('HGET', KEYS[1], 'at')) or now)) / 1000
if redis.call('HLEN', KEYS[2]) > ${ASKERS_MAX} then redis.call('DEL', KEYS[2]) end
local spent = {}
for number in string.gmatch(redis.call('HGET', KEYS[2], 'a:' .. me) or '', '[^/]+') do
  spent[#spent + 1] = tonumber(number)
end
local counted = table.remove(spent, 1) or now

local last = redis.call('HMGET', KEYS[2], 'r0', 'r1')
local hasOthers = false
for i = 1, 2 do
  local at, who = string.match(last[i] or '', '^(%d+)/(.*)$')
  if who and who ~= me and now - tonumber(at) < ${RECENT_MS} then hasOthers = true end
end
if string.match(last[1] or '', '^%d+/(.*)$') ~= me and last[1] then
  redis.call('HSET', KEYS[2], 'r1', last[1])
end
redis.call('HSET', KEYS[2], 'r0', string.format('%d/%s', now, me))

local may = 1
for i = 1, (#ARGV - 2) / 3 do
  local place, burst, rate = ARGV[3 * i], tonumber(ARGV[3 * i + 1]), tonumber(ARGV[3 * i + 2])
  local held = tonumber(redis.call('HGET', KEYS[1], 't' .. place))
  local left = held and math.min(burst, held + seconds * rate) or burst
  spent[i] = math.max(0, (spent[i] or 0) - math.max(0, now - counted) / 1000 * rate)
  if spent[i] >= 1 then
    if hasOthers then
      if spent[i] + 1 > (left + spent[i]) * ${ASKER_SHARE} then may = 0 end
    elseif left - waiting <= burst * ${ASKER_SHARE} then
      may = 0
    end
  end
end
local value = string.format('%d', now)
for i = 1, #spent do value = value .. string.format('/%.9f', spent[i] + may) end
redis.call('HSET', KEYS[2], 'a:' .. me, value)
redis.call('PEXPIRE', KEYS[2], ${ASKERS_KEPT_MS})
return may
`);

/** Gives back a share that was claimed for a query that was not sent. Keys: callers. Arguments: caller. */
export const RETURN_SHARE = script(`
local me = 'a:' .. ARGV[1]
local value
for number in string.gmatch(redis.call('HGET', KEYS[1], me) or '', '[^/]+') do
  value = value and value .. string.format('/%.9f', math.max(0, tonumber(number) - 1)) or number
end
if value then redis.call('HSET', KEYS[1], me, value) end
return 1
`);

export const UPSTREAM_SCRIPTS = [TAKE_UPSTREAM, PAUSE_UPSTREAM, CLAIM_SHARE, RETURN_SHARE];
