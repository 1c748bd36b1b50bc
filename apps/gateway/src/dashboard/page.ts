import type { FastifyReply } from 'fastify';
import type { PageVisit } from './page-visit.js';

/** Fields of a form, or the query of a page. */
export type Form = Record<string, string | undefined>;

/** One page or form of the dashboard. */
export interface Page {
  method: 'GET' | 'POST';
  path: string;
  answer(visit: PageVisit, form: Form, id: string): Promise<FastifyReply>;
}
