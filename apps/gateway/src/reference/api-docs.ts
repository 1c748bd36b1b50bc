import { gzipSync } from 'node:zlib';
import { type Operation, listenerOf, openApi } from '#libs/contracts';
import { PAGE_POLICY, REFERENCE_POLICY, SCRIPT_PATH, apiPage } from './api-page.js';
import { CATALOG_TYPE, catalogOf, overviewOf } from './overview.js';
import { type Origins, referenceBody } from './reference-page.js';

export interface ApiDocument {
  type: string;
  policy: string;
  plain: Buffer;
  gzip: Buffer;
}

/** The documents by table and origins, so that several gateways in one process, as in tests, build them once. */
const KNOWN = new WeakMap<readonly Operation[], Map<string, ApiDocs>>();

/**
 * The API's description (`/openapi.json`), the reference for people (`/docs`), the overview for language models
 * (`/llms.txt`) and the catalogue of these (`/.well-known/api-catalog`), generated from the table of operations.
 */
export class ApiDocs {
  readonly description: ApiDocument;
  readonly reference: ApiDocument;
  readonly overview: ApiDocument;
  readonly catalog: ApiDocument;

  /** Returns the documents of a table of operations. They are built once and kept in memory. */
  static of(operations: readonly Operation[], origins: Origins): ApiDocs {
    const known = KNOWN.get(operations) ?? new Map<string, ApiDocs>();
    KNOWN.set(operations, known);
    const place = JSON.stringify([origins.apiUrl, origins.dashboardUrl]);
    const docs = known.get(place) ?? new ApiDocs(operations, origins);
    known.set(place, docs);
    return docs;
  }

  private constructor(operations: readonly Operation[], origins: Origins) {
    const described = openApi(operations, {
      title: 'Domain Data Service',
      version: '2.0',
      origin: origins.apiUrl,
      listener: 'api',
    });
    const served = operations.filter((row) => listenerOf(row) === 'api');
    const body = referenceBody(served, origins);
    const page = apiPage(origins.dashboardUrl, 'API reference', body, [SCRIPT_PATH]);
    const json = 'application/json; charset=utf-8';
    this.description = documentOf(json, PAGE_POLICY, JSON.stringify(described));
    this.reference = documentOf('text/html; charset=utf-8', REFERENCE_POLICY, page);
    const overview = overviewOf(served, origins);
    this.overview = documentOf('text/plain; charset=utf-8', PAGE_POLICY, overview);
    const catalog = JSON.stringify(catalogOf(origins));
    this.catalog = documentOf(CATALOG_TYPE, PAGE_POLICY, catalog);
  }
}

function documentOf(type: string, policy: string, text: string): ApiDocument {
  const plain = Buffer.from(text);
  return { type, policy, plain, gzip: gzipSync(plain) };
}
