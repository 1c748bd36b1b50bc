import { Injectable } from '@nestjs/common';
import { AccountStatesRepository } from './account-states.repository.js';

/** What events say of accounts, for the work that is done for them. */
@Injectable()
export class AccountStatesService extends AccountStatesRepository {}
