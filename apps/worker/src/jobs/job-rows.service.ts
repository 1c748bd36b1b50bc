import { Injectable } from '@nestjs/common';
import { JobsMaintenanceRepository } from './jobs-maintenance.repository.js';

/** The rows of jobs, for the code that processes them. */
@Injectable()
export class JobRowsService extends JobsMaintenanceRepository {}
