import { Injectable } from '@nestjs/common';
import { AccountStatesRepository } from './account-states.repository.js';

/** The states of accounts, from events, for the work done on their behalf. */
@Injectable()
export class AccountStatesService extends AccountStatesRepository {}
