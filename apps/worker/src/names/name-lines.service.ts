import { Injectable } from '@nestjs/common';
import { NameLinesRepository } from './name-lines.repository.js';

/** The names as given, as the splitting of jobs needs them. */
@Injectable()
export class NameLinesService extends NameLinesRepository {}
