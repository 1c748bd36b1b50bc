import { UnacceptableEvent } from '#libs/messaging';

/** Thrown if billing has announced different content under the same id before. An operator has to investigate. */
export class AnnouncedOtherwise extends UnacceptableEvent {
  constructor(what: string, id: string) {
    super(`${what} ${id} was announced before with different content`);
  }
}
