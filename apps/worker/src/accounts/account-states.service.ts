import { Injectable } from '@nestjs/common';
import { AccountStatesRepository } from './account-states.repository.js';

/** The states of accounts as events tell them, for the work that is done for them. */
@Injectable()
export class AccountStatesService extends AccountStatesRepository {}
