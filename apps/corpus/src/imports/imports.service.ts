import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { isBucketLocation } from '#libs/files';
import { Clock, InvalidRequest, NotFound } from '#libs/platform';
import { readLogKey } from '../certificate-logs/checkpoint.js';
import { RegistrationsService } from '../registrations/registrations.service.js';
import { LOOKUPS_SOURCE } from '../sources/source.js';
import { SourcesService } from '../sources/sources.service.js';
import type { ChangedSettings, ChangedSource, NewSource } from './imports.dto.js';
import { ImportsRepository, type ListedFile, type ListedSource } from './imports.repository.js';

const FILES_SHOWN = 10;

@Injectable()
export class ImportsService {
  constructor(
    private readonly database: Database,
    private readonly repository: ImportsRepository,
    private readonly sources: SourcesService,
    private readonly registrations: RegistrationsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a source; a source with a schedule is due at once. @throws InvalidRequest for a name in use, or an invalid
   * location or key.
   */
  async add(source: NewSource): Promise<void> {
    const { location, everyMs = null, kind } = source;
    refuseLocation(location, kind);
    refuseKey(source);
    const category = kind === 'blocklist' ? source.category! : null;
    await this.database.transaction(async (transaction) => {
      if ((await this.sources.find(transaction, source.name)) !== undefined) {
        throw invalid('name', 'is the name of another source');
      }
      const id = await this.sources.ensure(transaction, { ...source, isGenerated: false });
      const dueAt = everyMs === null ? null : this.clock.now();
      await this.repository.setPlan(transaction, id, { location, everyMs, category }, dueAt);
      await this.repository.set(transaction, source.name, source);
    });
  }

  /**
   * Changes the settings of an imported source, or whether the answers of our own lookups may be sold.
   * @throws NotFound; InvalidRequest for a string that is not a key, or a setting that the source does not have.
   */
  async change(name: string, { isSold, ...settings }: ChangedSettings): Promise<void> {
    refuseKey(settings);
    const isThere = await this.database.transaction(async (transaction) => {
      if (isSold === undefined) return this.repository.set(transaction, name, settings);
      const isOwn = (await this.sources.find(transaction, name)) === LOOKUPS_SOURCE;
      if (!isOwn) throw invalid('isSold', 'can be changed only for our own lookups');
      await this.registrations.lockWriting(transaction);
      return this.repository.setSold(transaction, LOOKUPS_SOURCE, isSold);
    });
    if (!isThere) throw new NotFound('source');
  }

  async list(): Promise<ListedSource[]> {
    return this.repository.list();
  }

  /** @throws NotFound. */
  async show(name: string): Promise<ListedSource & { files: ListedFile[] }> {
    const [source] = await this.repository.list(name);
    if (!source) throw new NotFound('source');
    return { ...source, files: await this.repository.listFiles(name, FILES_SHOWN) };
  }

  /** Schedules a source to run as soon as no other is running. @throws NotFound. */
  async request(name: string): Promise<{ requestedAt: Date }> {
    const requestedAt = this.clock.now();
    if (!(await this.repository.request(name, requestedAt))) throw new NotFound('source');
    return { requestedAt };
  }

  /**
   * Disables a source: its data stays, but is neither shown nor sold, and its names are not looked up. A job then gives
   * the names to other sources that know them.
   * @throws NotFound.
   */
  async remove(name: string): Promise<void> {
    const isThere = await this.database.transaction(async (transaction) => {
      await this.registrations.lockWriting(transaction);
      return this.repository.remove(transaction, name, this.clock.now());
    });
    if (!isThere) throw new NotFound('source');
  }
}

function refuseKey({ logKey }: ChangedSource): void {
  if (logKey === undefined || readLogKey(logKey)) return;
  throw invalid('logKey', 'must be the public key of a log, DER in base64');
}

function refuseLocation(location: string, kind: string): void {
  const { protocol, hash } = URL.canParse(location) ? new URL(location) : {};
  if (kind === 'ct') {
    if (protocol === 'https:' && /^(?:#[0-9]{1,15})?$/.test(hash!)) return;
    throw invalid(
      'location',
      'must be the https address of a log, optionally followed by # and the number of the first entry',
    );
  }
  // Another party has chosen the names of the folders in the bucket.
  const bucket = location.split('/', 3).join('/');
  if (protocol === 'https:' || location.startsWith('/') || isBucketLocation(bucket)) return;
  throw invalid(
    'location',
    'must be the absolute path of a folder, an https address of a file, or s3://bucket/prefix',
  );
}

function invalid(field: string, message: string): InvalidRequest {
  return new InvalidRequest([{ field, message }]);
}
