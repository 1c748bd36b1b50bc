import { Injectable } from '@nestjs/common';
import { DailyCountsRepository } from './daily-counts.repository.js';

/** How often accounts have begun things today, for the features that limit them. */
@Injectable()
export class DailyCountsService extends DailyCountsRepository {}
