import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePorts } from '#libs/platform';
import { Daemon } from '../../apps/simulators/src/dns/daemon.js';
import { cleanup } from './cleanup.js';
import { hasProgram, pin } from './machine.js';

const MODULES = '/usr/lib/nginx/modules';
const LUA = [`${MODULES}/ndk_http_module.so`, `${MODULES}/ngx_http_lua_module.so`];

/** Whether nginx with Lua is installed: the Debian packages nginx-light, libnginx-mod-http-lua and lua-resty-core. */
export const hasNginx =
  hasProgram('nginx', '-v') &&
  LUA.every(existsSync) &&
  existsSync('/usr/share/lua/5.1/resty/core.lua');

export interface RunningNginx {
  pid: number;
  port: number;
}

/** Serves a static answer on the paths that the contenders request, over TCP and a Unix socket, without logging. */
export async function startUpstream(
  folder: string,
  { body, socketPath }: { body: string; socketPath: string },
): Promise<RunningNginx> {
  writeFileSync(join(folder, 'answer.json'), body);
  const location = (path: string) => `location = ${path} { alias ${folder}/answer.json; }`;
  return startNginx(folder, 'upstream', (port) => [
    `access_log off; open_file_cache max=10; default_type 'application/json; charset=utf-8';
     add_header x-outcome delivered; add_header x-served-from live;
     server { listen 127.0.0.1:${port} backlog=4096; listen unix:${socketPath} backlog=4096;
       ${location('/internal/whois/live')} ${location('/v2.0/whois/live')} }`,
  ]);
}

/** Starts nginx with the gateway's work in Lua: key, limit per minute, credits, ten headers and a log file. */
export async function startLuaPeer(
  folder: string,
  { upstreamPort, keys, limit }: { upstreamPort: number; keys: string[]; limit: number },
): Promise<RunningNginx> {
  const name = `lua-${limit}`;
  writeFileSync(join(folder, `${name}.keys`), keys.map((key) => `${key}\n`).join(''));
  return startNginx(folder, name, (port) => [
    `log_format bench '$time_iso8601 $request_id $account $arg_domainName $status $request_time';
     access_log ${folder}/${name}.log bench buffer=64k flush=200ms;
     lua_shared_dict keys 64m; lua_shared_dict counts 64m; lua_shared_dict credits 64m;
     init_by_lua_block {
       local n = 0
       for key in io.lines("${folder}/${name}.keys") do
         n = n + 1
         ngx.shared.keys:set(key, "account-" .. n)
         ngx.shared.credits:set("account-" .. n, 10000000)
       end
     }
     upstream lookup { server 127.0.0.1:${upstreamPort}; keepalive 128; keepalive_requests 1000000000; }
     server { listen 127.0.0.1:${port} backlog=4096;
       location = /v2.0/whois/live {
         set $account '-';
         access_by_lua_block { ${ACCESS(limit)} }
         header_filter_by_lua_block { ${HEADERS} }
         proxy_pass http://lookup/internal/whois/live?version=2&domainName=$arg_domainName;
         proxy_http_version 1.1; proxy_set_header Connection ''; proxy_set_header X-Request-Id $request_id;
       } }`,
    LUA.map((file) => `load_module ${file};`).join('\n'),
  ]);
}

const ACCESS = (limit: number) => `
  local key = ngx.var.arg_apiKey
  local account = key and ngx.shared.keys:get(key)
  if not account then return ngx.exit(401) end
  ngx.var.account = account
  local now = ngx.time()
  local used = ngx.shared.counts:incr(account .. ":" .. math.floor(now / 60), 1, 0, 120)
  local ctx = ngx.ctx
  ctx.left, ctx.reset = ${limit} - used, 60 - now % 60
  if used > ${limit} then return ngx.exit(429) end
  local credits = ngx.shared.credits:incr(account, -1)
  if credits < 0 then return ngx.exit(402) end
  ctx.credits = credits
  ngx.req.clear_header("Authorization")`;

const HEADERS = `
  local ctx, header = ngx.ctx, ngx.header
  header["Cache-Control"] = "private, no-store"
  header["Referrer-Policy"] = "no-referrer"
  header["X-Content-Type-Options"] = "nosniff"
  header["X-Request-Id"] = ngx.var.request_id
  header["X-Credits-Cost"] = "1"
  if not ctx.left then return end
  header["X-Credits-Remaining"] = ctx.credits
  header["RateLimit"] = '"live";r=' .. ctx.left .. ";t=" .. ctx.reset
  header["x-ratelimit-allowed-requests"] = "1000000"
  header["x-ratelimit-remaining-requests"] = ctx.left
  header["x-ratelimit-remaining-time"] = ctx.reset .. "000000000"`;

/**
 * Runs nginx on the second core, as a single process without a master, so that the CPU time of this process is all that
 * nginx uses.
 */
async function startNginx(
  folder: string,
  name: string,
  http: (port: number) => [body: string, head?: string],
): Promise<RunningNginx> {
  const [port] = await freePorts(1);
  const home = join(folder, name);
  mkdirSync(home);
  const [body, head = ''] = http(port);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${home}/${kind};`)
    .join(' ');
  writeFileSync(
    join(home, 'nginx.conf'),
    `${head}
     daemon off; master_process off; pid ${home}/pid; error_log ${home}/error.log;
     events { worker_connections 4096; }
     http { ${temporary} tcp_nodelay on; keepalive_requests 1000000000; keepalive_timeout 600s; server_tokens off; ${body} }`,
  );
  const args = ['-p', home, '-c', join(home, 'nginx.conf'), '-e', join(home, 'error.log')];
  const nginx = await Daemon.start('nginx', args, { address: '127.0.0.1', port });
  cleanup.add(() => nginx.stop());
  pin(nginx.pid, 1);
  return { pid: nginx.pid, port };
}
