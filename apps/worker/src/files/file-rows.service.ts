import { Injectable } from '@nestjs/common';
import { FilesRepository } from './files.repository.js';

@Injectable()
export class FileRowsService extends FilesRepository {}
