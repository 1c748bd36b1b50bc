import { UnacceptableEvent } from '#libs/messaging';

/** Billing announced different content under this id before. An operator has to investigate. */
export class AnnouncedOtherwise extends UnacceptableEvent {
  constructor(what: string, id: string) {
    super(`${what} ${id} was announced before with different content`);
  }
}
