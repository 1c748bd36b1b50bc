/** One history: builds its actors, lets them work amid faults, heals the world and judges what is left. */
export interface Scenario {
  run(): Promise<void>;
}
