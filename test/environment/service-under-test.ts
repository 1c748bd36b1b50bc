import type { Abstract, Type } from '@nestjs/common';
import { ServiceHttp } from '#libs/contracts';
import {
  type AuditedPart,
  type InvariantSet,
  type SchemaService,
  type ViolatedInvariant,
  checkInvariants,
} from '#libs/database';
import { InProcessTransport } from '#libs/messaging';
import {
  type Clock,
  Logger,
  type RunningService,
  type ServiceName,
  ServiceTokens,
} from '#libs/platform';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';
import { PlannedAuditor } from './planned-auditor.js';

/** The time limit of a call. It is long, because the machine may be busy with other specs. */
const CALL_TIMEOUT_MS = 60_000;

type Options = ConstructorParameters<typeof InProcessTransport>[0];

interface UsedDatabase {
  url(role: string): string;
  drop(): Promise<void>;
}

/** A complete service with its own database, called as its real callers call it. */
export class ServiceUnderTest<Used extends UsedDatabase, Time extends Clock> {
  service: RunningService;
  readonly logLines: string[] = [];
  readonly transport: InProcessTransport;
  readonly tokens: ServiceTokens;
  protected readonly logger: Logger;
  private readonly callers: ServiceHttp[] = [];
  private auditor?: Promise<PlannedAuditor>;

  /** @param logged the lowest level of the log lines that are kept. */
  protected constructor(
    private readonly name: SchemaService,
    readonly test: Used,
    readonly clock: Time,
    { consumers, logged }: Pick<Options, 'consumers'> & { logged: 'info' | 'error' },
  ) {
    const write = (line: string) => void this.logLines.push(line);
    this.logger = new Logger(name, { write }, logged);
    this.transport = new InProcessTransport({ logger: this.logger, consumers });
    this.tokens = new ServiceTokens(HARNESS_SECRET, clock);
  }

  async stop(): Promise<void> {
    for (const caller of this.callers) await caller.close();
    await this.end();
    await (await this.auditor)?.close();
    await this.test.drop();
    // The variables of a spec's file are never freed, and would keep the whole service in memory.
    Reflect.deleteProperty(this, 'service');
  }

  get<T>(provider: Type<T> | Abstract<T>): T {
    return this.service.app.get<T>(provider as Type<T>, { strict: false });
  }

  /** @param set the invariants of this service. @returns those that its rows violate. */
  protected async violated(set: InvariantSet, part?: AuditedPart): Promise<ViolatedInvariant[]> {
    this.auditor ??= PlannedAuditor.open(this.test.url(`${this.name}_auditor`));
    return checkInvariants(await this.auditor, set, part);
  }

  protected async end(): Promise<void> {
    await this.transport.close();
    await this.service.stop();
  }

  protected connect(caller: ServiceName): ServiceHttp {
    const { name: audience, tokens, callers } = this;
    const { url } = this.service;
    const http = new ServiceHttp({ url, caller, audience, tokens, timeoutMs: CALL_TIMEOUT_MS });
    callers.push(http);
    return http;
  }

  protected get settings() {
    const { name, test } = this;
    return {
      databaseUrl: test.url(name),
      maintenanceDatabaseUrl: test.url(`${name}_maintenance`),
      auditorDatabaseUrl: test.url(`${name}_auditor`),
      serviceSecret: HARNESS_SECRET,
    };
  }
}
