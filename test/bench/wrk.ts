import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { cleanup } from './cleanup.js';
import { hasProgram } from './machine.js';

export const hasWrk = hasProgram('wrk', '-v');

export interface Load {
  port: number;
  /** The path with its query; `{n}` is replaced by an increasing number. */
  path: string;
  /** Each request sends the next of these keys as `apiKey`. Without keys, it sends none. */
  keys: string[];
  connections: number;
  durationMs: number;
  /**
   * The rate of all connections together. Without it, each connection sends a request as soon as its last one is
   * answered.
   */
  ratePerSecond?: number;
}

export interface LoadResult {
  answers: number;
  /** The number of answers with a status of 400 or above. */
  refused: number;
  lost: number;
  elapsedMs: number;
  p50Ms: number;
  p99Ms: number;
}

/** With a rate, connections open this long before their first requests. wrk accepts only whole seconds. */
const OPENING_MS = 1_000;

/**
 * Each request has its own name, and uses the next key. With a rate, every connection first pauses for a random time,
 * so that opening hundreds of connections at once does not add to the latency of the first answers.
 */
const SCRIPT = `
local keys, n = {}, 0
function init(args)
  for line in io.lines(args[1]) do keys[#keys + 1] = line end
  before, after = args[2]:match("^(.*){n}(.*)$")
  n = tonumber(args[3])
  if args[4] then
    local mean, opening = tonumber(args[4]), tonumber(args[5])
    delay = function()
      if opening > 0 then
        opening = opening - 1
        return ${OPENING_MS} + math.random(0, math.floor(mean))
      end
      return math.random(math.floor(mean * 0.5), math.floor(mean * 1.5))
    end
  end
end
function request()
  n = n + 1
  local key = #keys > 0 and ("&apiKey=" .. keys[n % #keys + 1]) or ""
  return "GET " .. before .. n .. after .. key .. " HTTP/1.1\\r\\nHost: bench\\r\\n\\r\\n"
end
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\nRESULT {"answers":%d,"refused":%d,"lost":%d,"elapsedMs":%f,"p50Ms":%f,"p99Ms":%f}\\n',
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    summary.duration / 1000, latency:percentile(50) / 1000, latency:percentile(99) / 1000))
end
`;

// No name is used twice, because a request that is repeated within a minute is free.
const NAMES_PER_RUN = 10_000_000;
let runs = 0;

/**
 * Generates load with wrk, which needs only a fraction of the CPU time of a client in Node.
 * @throws Error if wrk fails.
 */
export async function driveWrk(load: Load, folder: string): Promise<LoadResult> {
  const [script, keys] = [join(folder, 'wrk.lua'), join(folder, 'wrk.keys')];
  writeFileSync(script, SCRIPT);
  writeFileSync(keys, load.keys.map((key) => `${key}\n`).join(''));
  const { connections, durationMs, ratePerSecond } = load;
  const openingMs = ratePerSecond ? OPENING_MS : 0;
  const args = ['-t', '1', '-c', String(connections), '-d', `${(durationMs + openingMs) / 1000}s`];
  args.push(
    '-s',
    script,
    `http://127.0.0.1:${load.port}`,
    '--',
    keys,
    load.path,
    String(runs++ * NAMES_PER_RUN),
  );
  // wrk's timer resolution, and the time until it processes an answer, add about one millisecond.
  if (ratePerSecond) {
    args.push(String((connections / ratePerSecond) * 1000 - 1), String(connections));
  }
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] });
  cleanup.add(() => wrk.kill('SIGKILL'));
  if (ratePerSecond) preferIfRoot(wrk.pid!);
  const output = await text(wrk.stdout);
  const result = /^RESULT (.*)$/m.exec(output)?.[1];
  if (result === undefined) throw new Error(`wrk gave no result:\n${output}`);
  const counted = JSON.parse(result) as LoadResult;
  return { ...counted, elapsedMs: counted.elapsedMs - openingMs };
}

/** Gives wrk priority, so that other processes on its core do not delay its timing at low load. */
function preferIfRoot(pid: number): void {
  if (process.getuid?.() === 0) setPriority(pid, constants.priority.PRIORITY_HIGHEST);
}
