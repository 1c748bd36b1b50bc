import { type FieldError, nearestName } from '#libs/platform';
import { type Operation, type Version, newestVersion, subjectsOf } from '../operation.js';
import { pageFaults } from '../paging/paged-search.js';
import type { Parameter, ParameterKind } from '../parameter.js';

/** Stands for a name or value whose encoding is invalid. It is a lone surrogate, which no decoded text contains. */
export const WRONGLY_ENCODED = '\ud800';

/** The names of unknown parameters that an answer may repeat; a key that was pasted as a name is not repeated. */
const SHOWABLE = /^(?!dds_)[A-Za-z0-9_.-]{1,40}$/;

/** Texts of the given parameters by their slots; slots of synonyms are empty. */
export interface ReadInput {
  readonly texts: (string | undefined)[];
  readonly faults?: FieldError[];
}

interface Slot {
  name: string;
  kind: ParameterKind;
  isRequired: boolean;
  isInPath: boolean;
  isForGateway: boolean;
  fallback?: unknown;
  clean?: (text: string) => string;
  synonyms: number[];
  /** `&name=`, to be followed by the value. */
  label: string;
}

export interface InputReaderOptions {
  version?: Version;
  /** The parameter that selected this operation among others on its path, and all its values. */
  choice?: { parameter: string; values: readonly string[]; isDefault?: boolean };
}

/**
 * Reads the parameters of one operation in one version: the same code runs at the gateway and at the owner, so that
 * neither rejects what the other accepts. The constructor prepares what it can, because every request is read here.
 */
export class InputReader {
  private readonly slots: Slot[] = [];
  private readonly places = new Map<string, number>();
  private readonly names: string[];
  private readonly ignoresUnknown: boolean;
  private readonly choice?: InputReaderOptions['choice'];
  /** Indexes of the parameters of which exactly one must be given; empty if there is only one. */
  private readonly alternatives: number[] = [];

  constructor(
    readonly operation: Operation,
    { version = newestVersion(operation), choice }: InputReaderOptions = {},
  ) {
    this.ignoresUnknown = version === 1;
    this.choice = choice;
    const known = Object.entries<Parameter>(operation.parameters).filter(
      ([, { since = 1 }]) => since <= version,
    );
    known.forEach(([name, parameter], place) => {
      this.places.set(name, place);
      this.slots.push(slotOf(name, parameter));
    });
    this.names = known.map(([name]) => name);
    known.forEach(([, { synonyms = [] }], place) => {
      for (const synonym of synonyms) {
        this.slots[place].synonyms.push(this.names.length);
        this.places.set(synonym, this.names.length);
        this.names.push(synonym);
      }
    });
    const subjects = subjectsOf(operation);
    if (subjects.length > 1) this.alternatives = subjects.map((name) => this.placeOf(name));
  }

  /**
   * Reads the parameters of a request.
   * @param names their decoded names; `WRONGLY_ENCODED` stands for an invalid one.
   * @param values their decoded values, in the same order.
   * @returns the texts, and the faults if there are any.
   */
  read(names: readonly string[], values: readonly string[]): ReadInput {
    const texts: (string | undefined)[] = [];
    let faults: FieldError[] | undefined;
    for (let i = 0; i < names.length; i++) {
      const place = this.places.get(names[i]);
      if (place === undefined) {
        if (!this.ignoresUnknown) (faults ??= []).push(unknown(names[i], this.names));
      } else if (texts[place] !== undefined) {
        (faults ??= []).push({ field: names[i], message: 'must be given once' });
      } else texts[place] = values[i];
    }
    for (let place = 0; place < this.slots.length; place++) {
      const fault = this.check(texts, place);
      if (fault !== undefined) {
        (faults ??= []).push({ field: this.slots[place].name, message: fault });
      }
    }
    if (this.alternatives.length > 0) {
      const given = this.alternatives.filter((place) => texts[place] !== undefined);
      if (given.length !== 1) (faults ??= []).push(this.notOne(given));
    }
    if (this.operation.paged !== undefined) {
      const wrong = pageFaults(this.operation.paged, (name) => texts[this.placeOf(name)]);
      if (wrong.length > 0) (faults ??= []).push(...wrong);
    }
    return { texts, faults };
  }

  /** Returns the index of a parameter's text; -1 for a name that this version does not have. */
  placeOf(name: string): number {
    return this.places.get(name) ?? -1;
  }

  /** Returns `&name=value` for each given parameter that the owner needs, in the order of the table. */
  queryOf({ texts }: ReadInput): string {
    let query = '';
    // Synonyms, and missing parameters at the end, have no text.
    for (let place = 0; place < this.slots.length && place < texts.length; place++) {
      const value = texts[place];
      if (value === undefined) continue;
      const { isForGateway, isInPath, label, kind } = this.slots[place];
      if (isForGateway || isInPath) continue;
      query += label + (kind.write === undefined ? encodeURIComponent(value) : kind.write(value));
    }
    return query;
  }

  /** Returns the query of the same request for the page that begins at a cursor, as its client would send it. */
  nextPageQuery({ texts }: ReadInput, cursor: string): string {
    const given = this.slots.flatMap(({ name, label, isInPath, kind }, place) => {
      const value = texts[place];
      if (value === undefined || isInPath || name === 'page' || name === 'cursor') return [];
      return [label + (kind.write === undefined ? encodeURIComponent(value) : kind.write(value))];
    });
    return `?${given.join('').slice(1)}${given.length === 0 ? '' : '&'}cursor=${encodeURIComponent(cursor)}`;
  }

  /** Returns values by name, with the defaults of missing ones. */
  valuesOf({ texts }: ReadInput): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [place, { name, kind, fallback }] of this.slots.entries()) {
      const given = texts[place];
      const value = given === undefined ? fallback : kind.value(given);
      if (value !== undefined) values[name] = value;
    }
    return values;
  }

  private notOne(given: readonly number[]): FieldError {
    const names = this.alternatives.map((place) => this.slots[place].name);
    if (given.length === 0) {
      const others = names.slice(1).map((name) => `"${name}"`);
      return { field: names[0], message: `is required, or ${others.join(' or ')} in its place` };
    }
    const [first, second] = given.map((place) => this.slots[place].name);
    return { field: second, message: `cannot be given together with "${first}"` };
  }

  private check(texts: (string | undefined)[], place: number): string | undefined {
    const slot = this.slots[place];
    for (const synonym of slot.synonyms) {
      const other = texts[synonym];
      if (other === undefined) continue;
      if (texts[place] !== undefined && texts[place] !== other) {
        return `differs from "${this.names[synonym]}"; send one of the two`;
      }
      texts[place] = other;
      texts[synonym] = undefined;
    }
    let given = texts[place];
    if (given === WRONGLY_ENCODED) return 'must be UTF-8 in percent-encoding';
    const chosen = this.choice?.parameter === slot.name ? this.choice.values : undefined;
    if (given === undefined) {
      if (chosen && !this.choice?.isDefault) return ruleOf(chosen);
      return slot.isRequired ? 'is required' : undefined;
    }
    if (slot.clean !== undefined) texts[place] = given = slot.clean(given);
    const fault = slot.kind.fault(given);
    return fault !== undefined && chosen ? ruleOf(chosen) : fault;
  }
}

function slotOf(name: string, parameter: Parameter): Slot {
  const { kind, isRequired = false, isForGateway = false } = parameter;
  return {
    name,
    kind,
    isRequired: isRequired || parameter.in === 'path',
    isInPath: parameter.in === 'path',
    isForGateway,
    fallback: parameter.default,
    clean: kind.clean && ((text) => kind.clean!(text)),
    synonyms: [],
    label: `&${name}=`,
  };
}

function unknown(name: string, names: readonly string[]): FieldError {
  const field = SHOWABLE.test(name) ? name : 'query';
  if (name === WRONGLY_ENCODED) return { field, message: 'must be UTF-8 in percent-encoding' };
  const nearest = nearestName(name, names);
  const hint = nearest === undefined ? '' : `; the nearest is "${nearest}"`;
  return { field, message: `there is no such parameter${hint}` };
}

const ruleOf = (values: readonly string[]) =>
  values.length === 1 ? `must be ${values[0]}` : `must be one of ${values.join(', ')}`;
