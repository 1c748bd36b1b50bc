import { Injectable } from '@nestjs/common';
import type { IndexSignals } from '#libs/contracts';
import { HOUR_MS, InvalidRequest, monotonicMs } from '#libs/platform';
import { fileName } from '../names/registrable-name.js';
import { surpriseOf } from './lexical-model.js';
import { SignalsRepository } from './signals.repository.js';

/** How long a model is cached; a new one is trained once a day. */
const KEPT_MS = HOUR_MS;
/** The minimum length of a scored label; the surprisal of a shorter label is not meaningful. */
const LABEL_LENGTH_MIN = 6;

type Judge = (label: string) => IndexSignals['lexical'];

@Injectable()
export class SignalsService {
  private kept?: { untilMs: number; judge: Judge };

  constructor(private readonly repository: SignalsRepository) {}

  /**
   * Returns when a name was first seen, which block lists contain it, and how unusual its letters
   * are.
   * @throws InvalidRequest; the errors of `SearchDatabase.query`.
   */
  async of(text: string): Promise<IndexSignals> {
    const name = fileName(text);
    if (!name) throw new InvalidRequest([{ field: 'name', message: 'must be a domain name' }]);
    const [firstSeen, listings, lists, judge] = await Promise.all([
      this.repository.firstSeen(name),
      this.repository.listListings(name),
      this.repository.countLists(),
      this.judge(),
    ]);
    return {
      firstSeen: firstSeen?.toISOString() ?? null,
      lists,
      listings: listings.map(({ list, category, host, listedAt }) => {
        return { list, category, host, listedAt: listedAt.toISOString() };
      }),
      lexical: name.unicode === null ? judge(name.label) : null,
    };
  }

  private async judge(): Promise<Judge> {
    if (this.kept && this.kept.untilMs > monotonicMs()) return this.kept.judge;
    const model = await this.repository.newestModel();
    if (!model) return () => null;
    const surprise = surpriseOf(model);
    const { version, mean, deviation } = model;
    const judge: Judge = (label) =>
      label.length < LABEL_LENGTH_MIN
        ? null
        : { version, deviations: deviation > 0 ? (surprise(label) - mean) / deviation : 0 };
    this.kept = { untilMs: monotonicMs() + KEPT_MS, judge };
    return judge;
  }
}
