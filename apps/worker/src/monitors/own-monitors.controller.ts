import { Body, Controller, Param } from '@nestjs/common';
import {
  CreateMonitorRequest,
  OWN_MONITOR,
  OWN_MONITORS,
  OWN_MONITOR_CREATE,
  OWN_MONITOR_DELETE,
  OWN_MONITOR_EVENTS,
  OWN_MONITOR_HIT_UPDATE,
  OWN_MONITOR_PAUSE,
  OWN_MONITOR_RESUME,
  OWN_MONITOR_TEST,
  OWN_MONITOR_UPDATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  UpdateHitRequest,
  UpdateMonitorRequest,
} from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { MonitorsService } from './monitors.service.js';

/** Monitors, for their owner at the dashboard. */
@Controller()
export class OwnMonitorsController {
  constructor(
    private readonly monitors: MonitorsService,
    private readonly pages: Pages,
  ) {}

  @Serves(OWN_MONITORS)
  list(
    @AccountId() accountId: string,
    @Question(OWN_MONITORS) question: QuestionOf<typeof OWN_MONITORS>,
  ) {
    return this.monitors.list(accountId, this.pages.asked(OWN_MONITORS, question));
  }

  @Serves(OWN_MONITOR_CREATE)
  create(
    @AccountId() accountId: string,
    @Body() request: CreateMonitorRequest,
    @Question(OWN_MONITOR_CREATE) { dry_run: isDryRun }: QuestionOf<typeof OWN_MONITOR_CREATE>,
  ) {
    return this.monitors.create(accountId, request, { isDryRun });
  }

  @Serves(OWN_MONITOR)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.get(accountId, id);
  }

  @Serves(OWN_MONITOR_UPDATE)
  update(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Body() request: UpdateMonitorRequest,
  ) {
    return this.monitors.update(accountId, id, request);
  }

  @Serves(OWN_MONITOR_DELETE)
  remove(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.remove(accountId, id);
  }

  @Serves(OWN_MONITOR_PAUSE)
  pause(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.pause(accountId, id);
  }

  @Serves(OWN_MONITOR_RESUME)
  resume(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.resume(accountId, id);
  }

  @Serves(OWN_MONITOR_TEST)
  test(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.test(accountId, id);
  }

  @Serves(OWN_MONITOR_EVENTS)
  events(
    @AccountId() accountId: string,
    @Question(OWN_MONITOR_EVENTS) question: QuestionOf<typeof OWN_MONITOR_EVENTS>,
  ) {
    const { id, state } = question;
    const asked = this.pages.asked(OWN_MONITOR_EVENTS, question);
    return this.monitors.events(accountId, id, asked, state);
  }

  @Serves(OWN_MONITOR_HIT_UPDATE)
  setHit(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Param('event_id') eventId: string,
    @Body() { state }: UpdateHitRequest,
  ) {
    return this.monitors.setHit(accountId, id, eventId, state);
  }
}
