import { Body, Controller, Param } from '@nestjs/common';
import {
  CreateMonitorRequest,
  MONITOR,
  MONITORS,
  MONITOR_CREATE,
  MONITOR_DELETE,
  MONITOR_EVENTS,
  MONITOR_HIT_UPDATE,
  MONITOR_PAUSE,
  MONITOR_RESUME,
  MONITOR_TEST,
  MONITOR_UPDATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
  UpdateHitRequest,
  UpdateMonitorRequest,
} from '#libs/contracts';
import { Idempotent, type IdempotentCall } from '#libs/database';
import { AccountId } from '#libs/platform';
import { MonitorsService } from './monitors.service.js';
import { NewMonitorsService } from './new-monitors.service.js';

@Controller()
export class MonitorsController {
  constructor(
    private readonly monitors: MonitorsService,
    private readonly newMonitors: NewMonitorsService,
    private readonly pages: Pages,
  ) {}

  @Serves(MONITORS)
  list(@AccountId() accountId: string, @Question(MONITORS) question: QuestionOf<typeof MONITORS>) {
    return this.monitors.list(accountId, this.pages.asked(MONITORS, question));
  }

  @Serves(MONITOR_CREATE)
  create(
    @AccountId() accountId: string,
    @Body() request: CreateMonitorRequest,
    @Question(MONITOR_CREATE) { dry_run: isDryRun }: QuestionOf<typeof MONITOR_CREATE>,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.newMonitors.create(accountId, request, { isDryRun, call });
  }

  @Serves(MONITOR)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.get(accountId, id);
  }

  @Serves(MONITOR_UPDATE)
  update(
    @AccountId() accountId: string,
    @Body() request: UpdateMonitorRequest,
    @Question(MONITOR_UPDATE) { id, dry_run: isDryRun }: QuestionOf<typeof MONITOR_UPDATE>,
  ) {
    return this.monitors.update(accountId, id, request, { isDryRun });
  }

  @Serves(MONITOR_DELETE)
  remove(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.remove(accountId, id);
  }

  @Serves(MONITOR_PAUSE)
  pause(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.pause(accountId, id);
  }

  @Serves(MONITOR_RESUME)
  resume(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.resume(accountId, id);
  }

  @Serves(MONITOR_TEST)
  test(@AccountId() accountId: string, @Param('id') id: string) {
    return this.monitors.test(accountId, id);
  }

  @Serves(MONITOR_EVENTS)
  events(
    @AccountId() accountId: string,
    @Question(MONITOR_EVENTS) question: QuestionOf<typeof MONITOR_EVENTS>,
  ) {
    const { id, state } = question;
    const asked = this.pages.asked(MONITOR_EVENTS, question);
    return this.monitors.events(accountId, id, asked, state);
  }

  @Serves(MONITOR_HIT_UPDATE)
  setHit(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Param('event_id') eventId: string,
    @Body() { state }: UpdateHitRequest,
  ) {
    return this.monitors.setHit(accountId, id, eventId, state);
  }
}
