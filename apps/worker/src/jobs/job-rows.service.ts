import { Injectable } from '@nestjs/common';
import { JobsMaintenanceRepository } from './jobs-maintenance.repository.js';

@Injectable()
export class JobRowsService extends JobsMaintenanceRepository {}
