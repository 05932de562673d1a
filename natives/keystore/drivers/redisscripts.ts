/** Scripts for operations that must be atomic. Each is sent once for each connection, then its digest. */

/** Compare-and-set. KEYS: value. ARGV: SHA-1 of the expected text, new text, milliseconds or empty to keep the time. */
const REPLACE = `
local text = redis.call('GET', KEYS[1])
if not text or redis.sha1hex(text) ~= ARGV[1] then return 0 end
if ARGV[3] == '' then
  local left = redis.call('PTTL', KEYS[1])
  redis.call('SET', KEYS[1], ARGV[2])
  if left >= 0 then redis.call('PEXPIRE', KEYS[1], left) end
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1`;

/**
 * KEYS: value. ARGV: summand, time to live of a new key in milliseconds or empty. Returns the sum as text, because
 * numbers of Lua are not exact, and its time to live; nil for texts that are no integers of up to 18 characters.
 */
const INCREMENT = `
local text = redis.call('GET', KEYS[1])
if text and (#text > 18 or not string.find(text, '^%-?%d+$')) then return nil end
redis.call('INCRBY', KEYS[1], ARGV[1])
if not text and ARGV[2] ~= '' then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return {redis.call('GET', KEYS[1]), redis.call('PTTL', KEYS[1])}`;

/**
 * KEYS: lock, last token. ARGV: owner, milliseconds. Returns the token, or an empty text and the milliseconds until the
 * lock expires. Tokens follow the clock, so that they increase even if the server has lost its data.
 */
const ACQUIRE = `
local held = redis.call('GET', KEYS[1])
if held then
  local at = string.find(held, ' ', 1, true)
  if string.sub(held, 1, at - 1) ~= ARGV[1] then return {'', redis.call('PTTL', KEYS[1])} end
  redis.call('PEXPIRE', KEYS[1], ARGV[2])
  return {string.sub(held, at + 1), 0}
end
local time = redis.call('TIME')
local token = time[1] * 1000000 + time[2]
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
if token <= last then token = last + 1 end
local text = string.format('%.0f', token)
redis.call('SET', KEYS[2], text)
redis.call('SET', KEYS[1], ARGV[1] .. ' ' .. text, 'PX', ARGV[2])
return {text, 0}`;

/** Beginning of scripts for the holder of a lock: whether ARGV[1] owns it. */
const OWNS = `
local held = redis.call('GET', KEYS[1])
if not held or string.sub(held, 1, #ARGV[1] + 1) ~= ARGV[1] .. ' ' then return 0 end`;

/** KEYS: lock. ARGV: owner, milliseconds. */
const RENEW = `${OWNS}
return redis.call('PEXPIRE', KEYS[1], ARGV[2])`;

/** KEYS: lock, which is also the channel that reports its release. ARGV: owner. */
const RELEASE = `${OWNS}
redis.call('DEL', KEYS[1])
redis.call('PUBLISH', KEYS[1], '')
return 1`;

export const SCRIPTS = {
  replace: { keys: 1, lua: REPLACE },
  increment: { keys: 1, lua: INCREMENT },
  acquire: { keys: 2, lua: ACQUIRE },
  renew: { keys: 1, lua: RENEW },
  release: { keys: 1, lua: RELEASE },
} as const;

export type Script = keyof typeof SCRIPTS;
