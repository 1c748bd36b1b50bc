import { Injectable } from '@nestjs/common';
import { JobsMaintenanceRepository } from './jobs-maintenance.repository.js';

/** Gives the features that process jobs access to the rows of jobs. */
@Injectable()
export class JobRowsService extends JobsMaintenanceRepository {}
