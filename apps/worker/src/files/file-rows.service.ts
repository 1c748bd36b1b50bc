import { Injectable } from '@nestjs/common';
import { FilesRepository } from './files.repository.js';

/** The rows of files, for the code that builds them. */
@Injectable()
export class FileRowsService extends FilesRepository {}
