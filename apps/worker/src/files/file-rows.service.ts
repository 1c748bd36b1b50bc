import { Injectable } from '@nestjs/common';
import { FilesRepository } from './files.repository.js';

/** The rows of files, for those who make them. */
@Injectable()
export class FileRowsService extends FilesRepository {}
