import {
  TUS_VERSION,
  checkOperations,
  type Operation,
  type OperationRoute,
  WRONGLY_ENCODED,
  listenerOf,
} from '#libs/contracts';
import { nearestName } from '#libs/platform';
import { type ApiRoute, type RouteOptions, compileRoute } from './api-route.js';

/** One public path with its methods. */
export interface ApiPath {
  /** The value of the `Allow` header. */
  allow: string;
  /** Further headers of the answer to `OPTIONS`, names and values alternating: the tus extensions supported here. */
  options: readonly string[];
  /** The routes by method. */
  routes: ReadonlyMap<string, ApiRoute>;
  /** The route of most requests, available without a map lookup. */
  get?: ApiRoute;
}

/** The match of a path, with the values of its parameters. */
export interface PathMatch {
  entry: ApiPath;
  names: readonly string[];
  values: readonly string[];
}

interface Template {
  pattern: RegExp;
  names: string[];
  entry: ApiPath;
}

/** Path parameters are short. A longer parameter does not match. */
const SEGMENT = '([^/]{1,255})';

/** The public paths of a table of operations. */
export class ApiPaths {
  private readonly exact = new Map<string, ApiPath>();
  private readonly templates: Template[] = [];
  readonly routes: readonly ApiRoute[];

  /** @throws OperationFaults if the table is not valid: then no operation is served. */
  constructor(
    readonly operations: readonly Operation[],
    options: RouteOptions = {},
  ) {
    checkOperations(operations);
    const served = operations.filter((row) => listenerOf(row) === 'api');
    const byPath = new Map<string, { operation: Operation; at: OperationRoute }[]>();
    for (const operation of served) {
      for (const at of operation.routes) {
        byPath.set(at.path, [...(byPath.get(at.path) ?? []), { operation, at }]);
      }
    }
    const all: ApiRoute[] = [];
    for (const [path, rows] of byPath) {
      const routes = routesOf(rows, options);
      for (const route of new Set(routes.values())) {
        all.push(...(route.choice?.routes.values() ?? [route]));
      }
      const allow = [...routes.keys(), 'OPTIONS'].join(', ');
      const tus = tusOptions(rows.map(({ operation }) => operation));
      this.add(path, { allow, options: tus, routes, get: routes.get('GET') });
    }
    this.routes = all;
  }

  /** Finds the entry of a path without parameters: one map lookup, for the hot path. */
  find(path: string): ApiPath | undefined {
    return this.exact.get(path);
  }

  /** Finds the entry of a path with parameters. */
  match(path: string): PathMatch | undefined {
    for (const { pattern, names, entry } of this.templates) {
      const found = pattern.exec(path);
      if (found) return { entry, names, values: found.slice(1).map(decoded) };
    }
    return undefined;
  }

  /** Finds the path that was probably intended, if an existing one is similar. */
  nearest(path: string): string | undefined {
    return nearestName(path, [...this.exact.keys()]);
  }

  private add(path: string, entry: ApiPath): void {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    if (names.length === 0) {
      this.exact.set(path, entry);
      return;
    }
    const pattern = path.replaceAll(/[.+*?()[\]]/g, '\\$&').replaceAll(/\{\w+\}/g, SEGMENT);
    this.templates.push({ pattern: new RegExp(`^${pattern}$`), names, entry });
  }
}

/** Returns one route per method. If a parameter selects among several, this is the first, which links to the others. */
function routesOf(
  rows: { operation: Operation; at: OperationRoute }[],
  options: RouteOptions,
): Map<string, ApiRoute> {
  const routes = new Map<string, ApiRoute>();
  for (const method of new Set(rows.map(({ operation }) => operation.method))) {
    const own = rows.filter(({ operation }) => operation.method === method);
    const valuesOf = ({ when }: OperationRoute) =>
      when === undefined ? [] : [when.value, ...(when.further ?? [])];
    const values = own.flatMap(({ at }) => valuesOf(at));
    const compiled = own.map(({ operation, at }) => compileRoute(operation, at, values, options));
    const [first] = compiled;
    const { when } = own[0].at;
    if (when && compiled.length > 1) {
      const byValue = new Map(
        compiled.flatMap((route, place) =>
          valuesOf(own[place].at).map((value) => [value.toLowerCase(), route] as const),
        ),
      );
      first.choice = { parameter: when.parameter, routes: byValue };
    }
    routes.set(method, first);
  }
  // HEAD works like GET, with the same limits and price, but without a body, which Node omits (RFC 9110, 9.3.2).
  const get = routes.get('GET');
  if (get && !routes.has('HEAD')) routes.set('HEAD', get);
  return routes;
}

/** Returns the headers of https://tus.io/protocols/resumable-upload#options */
function tusOptions(operations: readonly Operation[]): string[] {
  const uploads = operations.flatMap(({ upload }) => upload ?? []);
  const extensions = new Set(uploads.flatMap(({ tus = [] }) => tus));
  if (!uploads.some(({ tus }) => tus)) return [];
  const size = Math.max(...uploads.map(({ limitBytes }) => limitBytes));
  return [
    ['Tus-Resumable', TUS_VERSION],
    ['Tus-Version', TUS_VERSION],
    ['Tus-Extension', [...extensions].join(',')],
    ...(size > 0 ? [['Tus-Max-Size', String(size)]] : []),
  ].flat();
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return WRONGLY_ENCODED;
  }
}
