import { X509Certificate, createPrivateKey } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '#test/environment';
import type { KubernetesClient } from './kubernetes-client.js';

const ISSUE_LIMIT_MS = 120_000;

interface Secret {
  metadata: { name: string };
  data?: Record<string, string>;
}

/** A service's certificate as the Secret of it has it. */
export interface IssuedCertificate {
  files: Record<string, string>;
  certificate: X509Certificate;
  authority: X509Certificate;
  isOfItsKey: boolean;
}

/** The certificates that cert-manager has signed for an installation of the chart. */
export class IssuedCertificates {
  /** @param prefix stands before the service in the names of the chart's resources. */
  constructor(
    private readonly client: KubernetesClient,
    private readonly namespace: string,
    private readonly prefix: string,
  ) {}

  /** Renews a certificate before its time, as `cmctl renew` does. */
  async renew(name: string): Promise<void> {
    const lastTransitionTime = new Date().toISOString();
    const issuing = { type: 'Issuing', status: 'True', reason: 'ManuallyTriggered', message: '' };
    await this.client.merge(`${this.certificates}/${this.nameOf(name)}/status`, {
      status: { conditions: [{ ...issuing, lastTransitionTime }] },
    });
  }

  /** Resolves when the certificate exists and, if `before` is given, differs from it. */
  async of(name: string, before?: IssuedCertificate): Promise<IssuedCertificate> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets`;
    const found = async () => {
      const secrets = await this.client.list<Secret>(path);
      const data = secrets.find(({ metadata }) => metadata.name === this.nameOf(name))?.data;
      if (!data?.['tls.crt'] || !data['ca.crt']) return undefined;
      const issued = issuedCertificate(data);
      const isOther =
        issued.certificate.serialNumber !== before?.certificate.serialNumber && issued.isOfItsKey;
      return isOther ? issued : undefined;
    };
    return waitFor(`the certificate of ${name}`, found, ISSUE_LIMIT_MS);
  }

  private get certificates(): string {
    return `/apis/cert-manager.io/v1/namespaces/${this.namespace}/certificates`;
  }

  private nameOf(name: string): string {
    return `${this.prefix}-${name}-tls`;
  }
}

/** @returns the folder. */
export function writeCertificate({ files }: IssuedCertificate, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

function issuedCertificate(data: Record<string, string>): IssuedCertificate {
  const files = Object.fromEntries(
    Object.entries(data).map(([name, text]) => [name, Buffer.from(text, 'base64').toString()]),
  );
  const [certificate, authority] = ['tls.crt', 'ca.crt'].map((n) => new X509Certificate(files[n]));
  const isOfItsKey = certificate.checkPrivateKey(createPrivateKey(files['tls.key']));
  return { files, certificate, authority, isOfItsKey };
}
