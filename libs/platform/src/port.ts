import { applyDecorators } from '@nestjs/common';
import { IsInt, Max, Min } from 'class-validator';
import { type SettingDescription, Setting } from './config.js';

const PORT_MAX = 65_535;

/** Declares a setting that is a port, or 0 for any free port. */
export function PortSetting(description: SettingDescription): PropertyDecorator {
  return applyDecorators(Setting(description), IsInt(), Min(0), Max(PORT_MAX));
}
