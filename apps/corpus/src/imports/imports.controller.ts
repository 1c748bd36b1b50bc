import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { ChangedSettings, NewSource } from './imports.dto.js';
import type { ListedFile, ListedSource } from './imports.repository.js';
import { ImportsService } from './imports.service.js';

@Controller('internal/sources')
@AllowCallers('cli')
export class ImportsController {
  constructor(private readonly imports: ImportsService) {}

  @Post()
  async add(@Body() source: NewSource): Promise<{ name: string }> {
    await this.imports.add(source);
    return { name: source.name };
  }

  @Get()
  async list(): Promise<{ sources: ListedSource[] }> {
    return { sources: await this.imports.list() };
  }

  @Get(':name')
  async show(@Param('name') name: string): Promise<ListedSource & { files: ListedFile[] }> {
    return this.imports.show(name);
  }

  @Patch(':name')
  async change(@Param('name') name: string, @Body() settings: ChangedSettings) {
    await this.imports.change(name, settings);
    return { name };
  }

  @Post(':name/runs')
  @HttpCode(200)
  async request(@Param('name') name: string): Promise<{ requestedAt: Date }> {
    return this.imports.request(name);
  }

  @Delete(':name')
  async remove(@Param('name') name: string): Promise<{ name: string }> {
    await this.imports.remove(name);
    return { name };
  }
}
