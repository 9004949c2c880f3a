import { type DynamicModule, Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { HEALTH_OPTIONS, type HealthOptions } from './health-options.js';

/** `/livez`, `/readyz` and `/metrics`, for every process that listens. */
@Module({})
export class HealthModule {
  static register(options: HealthOptions): DynamicModule {
    return {
      module: HealthModule,
      controllers: [HealthController],
      providers: [{ provide: HEALTH_OPTIONS, useValue: options }],
    };
  }
}
