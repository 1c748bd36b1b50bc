import { Injectable } from '@nestjs/common';
import { JobsMaintenanceRepository } from './jobs-maintenance.repository.js';

/** The rows of jobs, as the processing of jobs needs them. */
@Injectable()
export class JobRowsService extends JobsMaintenanceRepository {}
