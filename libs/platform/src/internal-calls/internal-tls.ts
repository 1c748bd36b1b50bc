import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type SecureContext, type Server, createSecureContext } from 'node:tls';
import { SECOND_MS, monotonicMs } from '../clock.js';
import type { Logger } from '../logger.js';
import { declareGauge } from '../telemetry/metric-declarations.js';
import type { Metrics } from '../telemetry/metrics.js';

/** File names in the folder, as in cert-manager's and Kubernetes' TLS secrets. */
const FILES = { ca: 'ca.crt', cert: 'tls.crt', key: 'tls.key' } as const;
const MIN_VERSION = 'TLSv1.3';
const LOOK_AGAIN_MS = SECOND_MS;

const EXPIRES_AT = declareGauge(
  'dds_internal_certificate_expires_at_seconds',
  'When the certificate that the service shows to others expires, in seconds since 1970.',
  { labels: ['service'] },
);

/** The folder's contents in PEM form; `context` is for connections that this process opens. */
export interface TlsMaterial {
  ca: string;
  cert: string;
  key: string;
  minVersion: typeof MIN_VERSION;
  context: SecureContext;
}

/**
 * Provides mutual TLS between services: both sides present a certificate of the installation's authority (S112). New
 * connections check the files for changes, at most once a second, so a renewed certificate needs no restart. Unusable
 * files change nothing and are logged once.
 */
export class InternalTls {
  private current: TlsMaterial;
  private state: string;
  private lookedAtMs = monotonicMs();
  private fault = '';

  /** @throws Error that names the setting if a file is missing or unusable. */
  constructor(
    private readonly folder: string,
    private readonly logger: Logger,
  ) {
    try {
      this.state = this.stateOfFiles();
      this.current = this.read();
    } catch (error) {
      const { message } = error as Error;
      throw new Error(`INTERNAL_TLS_FOLDER: ${message}`, { cause: error });
    }
  }

  /** Options for new connections; the same object until the files change. */
  get material(): TlsMaterial {
    if (monotonicMs() - this.lookedAtMs >= LOOK_AGAIN_MS) {
      this.lookedAtMs = monotonicMs();
      this.lookAgain();
    }
    return this.current;
  }

  /** Options of a listener that rejects clients without a certificate of the authority. */
  get listenerOptions() {
    const { ca, cert, key, minVersion } = this.current;
    return { ca, cert, key, minVersion, requestCert: true, rejectUnauthorized: true };
  }

  addMetrics(metrics: Metrics, service: string): void {
    const expiresAtMs = () => new X509Certificate(this.material.cert).validToDate.getTime();
    metrics.addSource({
      name: 'certificate between services',
      read: (take) => take(EXPIRES_AT, expiresAtMs() / SECOND_MS, { service }),
    });
  }

  /** Keeps the certificate of a listener, which was created with `listenerOptions`, up to date with the files. */
  renew(listener: Server): void {
    let used = this.current;
    // Runs before the listener's own handler, which begins the handshake.
    listener.prependListener('connection', () => {
      const { material } = this;
      if (material === used) return;
      used = material;
      const { ca, cert, key, minVersion } = material;
      listener.setSecureContext({ ca, cert, key, minVersion });
    });
    listener.on('tlsClientError', (error) => {
      this.logger.debug('a connection without a certificate from our authority was refused', error);
    });
  }

  private lookAgain(): void {
    try {
      const state = this.stateOfFiles();
      if (state === this.state) return;
      this.current = this.read();
      this.state = state;
      this.fault = '';
      this.logger.info('the certificate between services has changed');
    } catch (error) {
      const { message } = error as Error;
      if (message !== this.fault) this.logger.warn('INTERNAL_TLS_FOLDER was not read', { message });
      this.fault = message;
    }
  }

  private stateOfFiles(): string {
    const states = Object.values(FILES).map((name) => statSync(join(this.folder, name)));
    return states.map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`).join();
  }

  private read(): TlsMaterial {
    const [ca, cert, key] = [FILES.ca, FILES.cert, FILES.key].map((name) =>
      readFileSync(join(this.folder, name), 'utf8'),
    );
    const pem = { ca, cert, key, minVersion: MIN_VERSION } as const;
    return { ...pem, context: createSecureContext(pem) };
  }
}
