import { createHash } from 'node:crypto';
import { WINDOW_SECONDS } from '../rate-limiter.js';

export interface Script {
  source: string;
  sha: string;
}

/** How long a slice may be spent after it has been requested, by the cluster's clock. */
export const SLICE_USABLE_MS = 2_000;
/**
 * After this time, the holder of a slice counts as dead and the rest of the slice as spent. This time is longer than
 * `SLICE_USABLE_MS` plus a clock step.
 */
const SLICE_KEPT_MS = 6_000;
/** Replaces the second in reports of returned tokens, whose count is negative. */
export const GIVEN_BACK = 0;
/** An unused entry expires after two windows, because the clock may stop for a while. */
const ENTRY_TTL_MS = 130_000;
/** A gateway without a heartbeat for this long is not counted as live. */
const GATEWAY_SEEN_MS = 5_000;
/** The server's clock is read every second. A longer pause means that the clock stepped or no gateway was running. */
const STEP_MS = 3_000;

/**
 * Computes the cluster's clock: the server's clock without its steps. It stops while the server's clock steps back or
 * leaps, so a step admits nobody and locks nobody out for longer than a window (S101).
 */
const CLOCK = `
local function clusterNow(meta, given)
  if given ~= '' then return tonumber(given) end
  local time = redis.call('TIME')
  local ms = time[1] * 1000 + math.floor(time[2] / 1000)
  local saved = redis.call('HMGET', meta, 'last', 'shift')
  local last, shift = tonumber(saved[1]) or ms, tonumber(saved[2]) or 0
  if ms < last or ms > last + ${STEP_MS} then shift = shift - (ms - last) end
  redis.call('HSET', meta, 'last', ms, 'shift', shift)
  return ms + shift
end
`;

/**
 * Processes a gateway's heartbeat. Keys: meta, gateways. Arguments: time or '', gateway, the gateway's last known
 * epoch, an epoch to begin if there is none, '1' if the gateway has admitted requests that may be missing at the
 * server. Returns the epoch, the time, the number of live gateways, and the milliseconds until the history is complete
 * again.
 */
export const BEAT = script(`${CLOCK}
local now = clusterNow(KEYS[1], ARGV[1])
local saved = redis.call('HMGET', KEYS[1], 'epoch', 'warm')
local epoch, warm = saved[1], tonumber(saved[2]) or 0
if not epoch then
  epoch = ARGV[4]
  redis.call('HSET', KEYS[1], 'epoch', epoch)
end
if epoch ~= ARGV[3] and ARGV[5] == '1' then
  warm = math.max(warm, now + ${WINDOW_SECONDS * 1000})
  redis.call('HSET', KEYS[1], 'warm', warm)
end
redis.call('ZADD', KEYS[2], now, ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now - ${GATEWAY_SEEN_MS})
return { epoch, now, redis.call('ZCARD', KEYS[2]), math.max(0, warm - now) }
`);

/**
 * Books the tokens that a gateway has spent and grants the tokens that it requests, for several entries at once. An
 * entry is a hash: a field for each second with requests, and one "count/until" for each gateway that holds a slice.
 * Keys: meta, entries. Arguments: epoch, time or '', session, gateways; then for each entry its limit, the number of
 * waiting requests, the number of tokens wanted in hand, the number of tokens still in hand, the number of further
 * words, and these words: pairs of second and count. Returned tokens are subtracted from the oldest seconds, so that no
 * window ever counts too few. Returns the time, then for each entry the tokens granted, the tokens in hand, the room,
 * the oldest second, and the tokens that other gateways have in hand; only -1 if the epoch differs.
 */
export const TAKE = script(`${CLOCK}
if redis.call('HGET', KEYS[1], 'epoch') ~= ARGV[1] then return { -1 } end
local now = clusterNow(KEYS[1], ARGV[2])
local session, gateways = ARGV[3], tonumber(ARGV[4])
local second = math.floor(now / 1000)
local first = second - ${WINDOW_SECONDS - 1}

local function take(entry, limit, want, ahead, inHand, uses, usesEnd)
  local total, others, own, oldest = 0, 0, 0, second
  local gone, booked, buckets, given = {}, {}, {}, 0

  local flat = redis.call('HGETALL', entry)
  for i = 1, #flat, 2 do
    local field, value = flat[i], flat[i + 1]
    local slash = string.find(value, '/', 1, true)
    if slash then
      local count, till = tonumber(string.sub(value, 1, slash - 1)), tonumber(string.sub(value, slash + 1))
      if field == session then
        own = count
      elseif till > now then
        others = others + count
      else
        gone[#gone + 1] = field
        booked[#booked + 1] = { math.floor(till / 1000), count }
      end
    else
      local at, count = tonumber(field), tonumber(value)
      if at < first then
        gone[#gone + 1] = field
      else
        total = total + count
        buckets[at] = count
        if count > 0 and at < oldest then oldest = at end
      end
    end
  end
  if #gone > 0 then redis.call('HDEL', entry, unpack(gone)) end

  for i = uses, usesEnd, 2 do
    local at, count = tonumber(ARGV[i]), tonumber(ARGV[i + 1])
    if at == ${GIVEN_BACK} then
      given = given - count
    else
      booked[#booked + 1] = { math.min(at, second), count }
    end
  end
  for _, use in ipairs(booked) do
    if use[1] >= first then
      redis.call('HINCRBY', entry, use[1], use[2])
      total = total + use[2]
      buckets[use[1]] = (buckets[use[1]] or 0) + use[2]
      oldest = math.min(oldest, use[1])
    end
  end

  while given > 0 and oldest <= second do
    local part = math.min(given, math.max(0, buckets[oldest] or 0))
    if part > 0 then redis.call('HINCRBY', entry, oldest, -part) end
    given, total = given - part, total - part
    if part == (buckets[oldest] or 0) or part == 0 then oldest = oldest + 1 end
  end
  oldest = math.min(oldest, second)

  inHand = math.min(inHand, own)
  local room = limit - total - others - inHand
  local granted = math.max(0, math.min(want, room))
  room = room - granted
  if granted > 0 then redis.call('HINCRBY', entry, second, granted) end
  if granted == want and ahead > inHand then
    local spare = room - math.ceil(limit / 5)
    local more = math.max(0, math.min(ahead - inHand, math.floor(spare / (4 * gateways))))
    inHand, room = inHand + more, room - more
  end
  if inHand > 0 then
    redis.call('HSET', entry, session, inHand .. '/' .. (now + ${SLICE_KEPT_MS}))
  elseif own > 0 then
    redis.call('HDEL', entry, session)
  end
  redis.call('PEXPIRE', entry, ${ENTRY_TTL_MS})
  return granted, inHand, room, oldest, others
end

local reply, word = { now }, 5
for key = 2, #KEYS do
  local limit, want, ahead, inHand, uses = unpack(ARGV, word, word + 4)
  local usesEnd = word + 4 + uses
  local at = #reply
  reply[at + 1], reply[at + 2], reply[at + 3], reply[at + 4], reply[at + 5] =
    take(KEYS[key], tonumber(limit), tonumber(want), tonumber(ahead), tonumber(inHand), word + 5, usesEnd)
  word = usesEnd + 1
end
return reply
`);

export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') };
}
