import type { SharedCounters } from '#libs/counters';
import type { EventsConfig } from '#libs/messaging';
import type { MetricSnapshot, Readiness } from '#libs/platform';
import type { GatewayConfig } from '../gateway.config.js';

/** What a gateway that is one of several in a process has in common with the others. */
export interface ThreadShare {
  counters: SharedCounters;
  /** From 1. The first one has the jobs that a process needs once. */
  number: number;
}

/** What a thread is started with; plain data, as it crosses into it. */
export interface ThreadData {
  config: GatewayConfig;
  events: EventsConfig;
  share: ThreadShare;
}

/** What the main thread may ask. `drain` is answered when everything is closed. */
export interface ThreadAnswers {
  readiness: Readiness;
  metrics: MetricSnapshot;
  drain: 'drained';
}

export interface ThreadQuestion {
  id: number;
  question: keyof ThreadAnswers;
}

/** What a thread says: that it answers, that it cannot go on, or what it was asked for. */
export type ThreadMessage =
  | { kind: 'up'; apiUrl: string; dashboardUrl: string }
  | { kind: 'failed'; reason: string }
  | { kind: 'answer'; id: number; answer?: ThreadAnswers[keyof ThreadAnswers]; fault?: string };
