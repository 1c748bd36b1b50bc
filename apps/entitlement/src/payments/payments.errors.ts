import { UnacceptableEvent } from '#libs/messaging';

/** What billing announced before under the same id says something else. An operator has to look at it. */
export class AnnouncedOtherwise extends UnacceptableEvent {
  constructor(what: string, id: string) {
    super(`${what} ${id} was announced with other content`);
  }
}
