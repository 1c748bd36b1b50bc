import { newId } from '#libs/platform';
import type { VirtualClock } from '../virtual-clock.js';
import type { Form } from './requests/form-body.js';
import { StripeRefusal } from './requests/stripe-refusal.js';

interface SimulatedTestClock {
  id: string;
  object: 'test_helpers.test_clock';
  frozen_time: number;
  status: 'ready';
  livemode: false;
}

/**
 * Simulates test clocks (https://docs.stripe.com/api/test_clocks). Here all objects share one clock, so advancing any
 * test clock advances it for all of them.
 */
export class TestClocks {
  private readonly all = new Map<string, SimulatedTestClock>();

  constructor(private readonly clock: VirtualClock) {}

  get routes(): [method: string, path: RegExp, handler: (id: string, form: Form) => object][] {
    const path = /^\/v1\/test_helpers\/test_clocks\/(\w+)$/;
    return [
      ['POST', /^\/v1\/test_helpers\/test_clocks$/, (_, form) => this.create(form)],
      ['GET', path, (id) => this.get(id)],
      ['DELETE', path, (id) => this.delete(id)],
      [
        'POST',
        /^\/v1\/test_helpers\/test_clocks\/(\w+)\/advance$/,
        (id, form) => this.advance(id, form),
      ],
    ];
  }

  private create({ frozen_time: time }: Form): SimulatedTestClock {
    const made: SimulatedTestClock = {
      id: `clock_${newId().replaceAll('-', '')}`,
      object: 'test_helpers.test_clock',
      frozen_time: Number(time),
      status: 'ready',
      livemode: false,
    };
    this.all.set(made.id, made);
    return made;
  }

  private get(id: string): SimulatedTestClock {
    const found = this.all.get(id);
    if (!found) throw StripeRefusal.invalid('resource_missing', `No such testclock: '${id}'`, 'id');
    return found;
  }

  private advance(id: string, { frozen_time: time }: Form): SimulatedTestClock {
    const found = this.get(id);
    const seconds = Number(time);
    if (!(seconds > found.frozen_time)) {
      const message = 'The frozen time must be after the present one.';
      throw StripeRefusal.invalid('test_clock_invalid_time', message, 'frozen_time');
    }
    this.clock.advance((seconds - found.frozen_time) * 1_000);
    found.frozen_time = seconds;
    return found;
  }

  private delete(id: string): object {
    this.get(id);
    this.all.delete(id);
    return { id, object: 'test_helpers.test_clock', deleted: true };
  }
}
