import { Injectable } from '@nestjs/common';
import { NameLinesRepository } from './name-lines.repository.js';

@Injectable()
export class NameLinesService extends NameLinesRepository {}
