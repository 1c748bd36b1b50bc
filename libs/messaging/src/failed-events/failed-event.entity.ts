import { Column, Entity, PrimaryColumn } from 'typeorm';

export type FailedEventState = 'retrying' | 'dead' | 'discarded';

@Entity('failed_event')
export class FailedEvent {
  @PrimaryColumn('text')
  consumer: string;

  @PrimaryColumn('text', { name: 'event_id' })
  eventId: string;

  /** Increases with each failed event; used for paging. */
  @Column({ type: 'bigint', insert: false, update: false })
  arrival: string;

  @Column('text')
  topic: string;

  @Column('smallint')
  bucket: number;

  @Column('text')
  key: string;

  @Column('text')
  type: string;

  /** The envelope as received. */
  @Column('text')
  body: string;

  @Column('text')
  state: FailedEventState;

  @Column('text')
  reason: string;

  @Column('integer')
  attempts: number;

  @Column('timestamptz', { name: 'failed_at' })
  failedAt: Date;

  /** Null while the event waits behind an earlier event of its key. */
  @Column('timestamptz', { name: 'next_try_at', nullable: true })
  nextTryAt: Date | null;

  /** When the event was discarded; null if it was not. */
  @Column('timestamptz', { name: 'settled_at', nullable: true })
  settledAt: Date | null;
}
