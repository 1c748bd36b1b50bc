import { Controller, Get, Param, Query } from '@nestjs/common';
import { type Operation, callSamples } from '#libs/contracts';
import { NotFound } from '#libs/platform';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { DashboardCalls } from '../dashboard-calls.js';
import { DashboardSettings } from '../dashboard-settings.js';
import type { PageVisit } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { type Item, type Typed, isSample } from '../searches/search.js';
import { type PlayShown, playgroundList, playgroundPage, saidOf } from './playground-page.js';
import { BODY, PLAYED, exampleOf, playedParameters, prepare } from './playground.js';

type Given = Readonly<Record<string, unknown>>;

/**
 * Serves a page for each operation of the API. The key for a call stays in the page's script and is never sent here.
 */
@Controller('playground')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class PlaygroundController {
  constructor(
    private readonly calls: DashboardCalls,
    private readonly settings: DashboardSettings,
  ) {}

  @Get()
  list(@Visit() visit: PageVisit) {
    return visit.show(playgroundList(visit.context));
  }

  /** Shows the page, with its form filled in from the URL. @throws NotFound; the errors of `PageVisit.ask`. */
  @Get(':name')
  async show(@Visit() visit: PageVisit, @Param('name') name: string, @Query() query: Given) {
    const row = find(name);
    const typed = typedOf(row, query);
    const { apiUrl } = this.settings;
    const [answer, credits] = await Promise.all([
      answerOf(visit, row, typed),
      this.calls.creditsOf(visit.session),
    ]);
    const prepared = prepare(apiUrl, row, typed);
    visit.letScriptsReach(apiUrl);
    return visit.show(playgroundPage(visit.context, row, { typed, prepared, answer, credits }));
  }

  /** Returns the call for the current input, for the page's script. @throws NotFound. */
  @Get(':name/calls')
  prepare(@Param('name') name: string, @Query() query: Given) {
    const row = find(name);
    const prepared = prepare(this.settings.apiUrl, row, typedOf(row, query));
    const { call, faults } = prepared;
    return {
      call,
      said: saidOf(prepared),
      is_valid: faults.length === 0,
      samples: callSamples(call),
    };
  }
}

function find(name: string): Operation {
  const row = PLAYED.find((one) => one.name === name);
  if (!row) throw new NotFound();
  return row;
}

/** Reads the form. Empty fields are ignored; if nothing was entered, the operation's example is used. */
function typedOf(row: Operation, query: Given): Typed {
  const given = [...playedParameters(row), BODY].flatMap((name) => {
    const text = query[name];
    return typeof text === 'string' && text.trim() !== '' ? [[name, text.trim()] as const] : [];
  });
  return given.length === 0 ? exampleOf(row) : Object.fromEntries(given);
}

/** Answers a sample free of charge, as for a test key; for any other input, shows the operation's example. */
async function answerOf(
  visit: PageVisit,
  row: Operation,
  typed: Typed,
): Promise<PlayShown['answer']> {
  const [{ title, answer }] = row.examples;
  const example = { body: answer as Item, words: `An example: ${title.toLowerCase()}` };
  if (!row.fixtures || row.body || !isSample(row, typed)) return example;
  const query = new URLSearchParams(typed).toString();
  const asked = await visit.ask({ operation: row.name, query, environment: 'test' });
  if (!asked.refusal) return { body: asked.body as Item, words: 'The answer to a test key' };
  const { code, message } = asked.refusal;
  return { body: { status: asked.status, code, message }, words: 'The answer to a test key' };
}
