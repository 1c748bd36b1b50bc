import { type ContactRole, isContactRole } from '../../../record.js';
import type { DomainField, SectionName, Target } from '../dictionary/target.js';
import type { ContactField } from '../fields/contact-field.js';
import { lookUpHeader, roleNamed } from '../dictionary/dictionary.js';
import { isHoldingStatus } from './holding-statuses.js';
import { ContactDraft } from '../fields/contact-draft.js';
import type { ReadyGrammar } from '../grammars/grammar.js';
import { readEntry, type Entry } from './entries.js';
import { normalizeKey } from './keys.js';
import { commentBody, type Line } from './lines.js';
import { RecordDraft } from './record-draft.js';
import type { WorkMeter } from './work-meter.js';

const TITLE_LENGTH_MAX = 60;
/** Maximum number of words of a status below its header; longer text is a sentence about something else. */
const STATUS_WORDS_MAX = 5;

interface Section {
  name: SectionName | 'object' | 'none';
  draft?: ContactDraft;
  /** The number of columns before the header. */
  indent: number;
  /**
   * Whether the section has its own header, so that dates and statuses below it belong to the party, not to the domain.
   */
  owns: boolean;
  filled: boolean;
  /** True if a blank line has followed what was read below the header. */
  ended: boolean;
}

const NO_SECTION: Section = {
  name: 'none',
  indent: -1,
  owns: false,
  filled: false,
  ended: false,
};

/**
 * Reads the lines of an answer once, and collects their data. Every layout is read in the same way: a key states the
 * meaning of its value, a header names the party of the following lines, and blank lines and indentation show where the
 * section of the header ends.
 */
export class RecordReader {
  private readonly draft = new RecordDraft();
  private section: Section = { ...NO_SECTION };
  /** The line with a key that is continued by lines with deeper indentation. */
  private last?: Entry;
  private startsBlock = true;

  constructor(
    private readonly grammar: ReadyGrammar,
    private readonly askedDomain: string,
    private readonly meter: WorkMeter,
  ) {}

  read(lines: readonly Line[]): RecordDraft {
    for (let at = 0; at < lines.length; at += 1) {
      const line = lines[at];
      const next = lines[at + 1];
      if (line.blank) this.endBlock();
      else if (!line.comment) this.take(this.readLine(line, next));
      else if (next?.comment === true && next.body.includes('===')) this.takeTitle(line);
    }
    return this.draft;
  }

  /** Reads a header that only looks like a comment: `% Technical Contact:` with a rule below it. */
  private takeTitle(line: Line): void {
    const key = normalizeKey(commentBody(line).slice(0, TITLE_LENGTH_MAX));
    const target = lookUpHeader(key, this.grammar.keys);
    if (target?.kind !== 'header' || !isContactRole(target.section)) return;
    this.open(target.section, { indent: 0, key, value: '', target, opensUnknown: false }, true);
    this.last = undefined;
  }

  private readLine(line: Line, next: Line | undefined): Entry {
    const isParent = next !== undefined && !next.blank && next.indent > line.indent;
    const isAwaited = this.section.draft !== undefined && !this.section.filled;
    const isText = isAwaited && line.indent > this.section.indent;
    const surroundings = { startsBlock: this.startsBlock && !isText, isParent };
    return readEntry(line, surroundings, this.grammar, this.meter);
  }

  private endBlock(): void {
    this.last = undefined;
    this.startsBlock = true;
    if (this.section.filled) this.section.ended = true;
  }

  private take(entry: Entry): void {
    if (entry.target === undefined) this.takeText(entry);
    else if (entry.target.kind !== 'ignored') this.takeTarget(entry, entry.target);
    if (entry.target !== undefined || entry.key !== '') this.last = entry;
    this.startsBlock = false;
  }

  private takeTarget(entry: Entry, target: Target): void {
    switch (target.kind) {
      case 'header':
        return this.takeHeader(entry, target.section);
      case 'reference':
        return this.takeReference(target.role, entry.value);
      case 'object':
        return this.takeHandle(entry);
      case 'domain':
        return this.takeDomainField(entry, target.field, target.loose);
      case 'registrar':
        return this.draft.setRegistrar(target.field, entry.value);
      case 'contact':
        return this.takeContactField(entry, target.field, target.role);
      default:
        return undefined;
    }
  }

  /** Opens the section of a header. A value on the line of the header is the name of the party. */
  private takeHeader({ ...entry }: Entry, name: SectionName): void {
    if (name === 'host') return this.draft.startHost();
    if (entry.value.startsWith('!')) entry.value = '';
    if (this.repeatsHeader(entry)) {
      this.section.draft?.add('line', entry.value);
      return;
    }
    const isInside = this.section.owns && ['object', 'other'].includes(this.section.name);
    if (name === 'registrar' && isInside && !this.startsBlock) return;
    const owns = entry.value === '' || (this.startsBlock && this.draft.hasDomain());
    this.open(name, entry, owns);
    if (entry.value === '') return;
    if (name === 'registrar') this.draft.setRegistrar('name', entry.value);
    else if (this.section.draft !== undefined) this.addParty(this.section.draft, entry.value);
    this.section.filled = true;
  }

  /** True for a party whose lines all repeat the header: `Owner: Ada Example`, `Owner: 1 Sample Street`. */
  private repeatsHeader({ key, value, indent }: Entry): boolean {
    const { last } = this;
    if (value === '' || last === undefined || last.value === '') return false;
    return last.target?.kind === 'header' && last.key === key && last.indent === indent;
  }

  /** Adds a party that is on the line of its header: a name, a name with an address in angle brackets, or a handle. */
  private addParty(draft: ContactDraft, value: string): void {
    const open = value.indexOf('<');
    const close = value.indexOf('>', open);
    if (this.grammar.headerIsHandle) draft.add('handle', value);
    else if (open <= 0 || close < 0) draft.add('heading', value);
    else {
      draft.add('heading', value.slice(0, open));
      draft.add('email', value.slice(open + 1, close));
    }
  }

  private open(name: Section['name'], header: Entry, owns: boolean): void {
    const isNamed = header.target?.kind === 'header' && header.value !== '';
    const draft = isContactRole(name) ? this.draft.openContact(name, isNamed) : undefined;
    const { indent } = header;
    this.section = { name, draft, indent, owns, filled: false, ended: false };
  }

  private takeReference(role: ContactRole, handle: string): void {
    const value = handle.trim();
    if (this.section.name === 'object' || value === '' || value === '-') return;
    this.draft.addReference(role, value);
  }

  /** Reads a handle, which identifies the contact that is being read, or opens an object to which references point. */
  private takeHandle(entry: Entry): void {
    this.draft.hasHandle ||= entry.value !== '';
    if (this.inParty(entry)) {
      this.section.draft?.add('handle', entry.value);
      if (this.section.name === 'object') this.draft.keepObject(this.section.draft, entry.value);
      this.section.filled = true;
      return;
    }
    if (this.startsBlock) this.openNamedObject(entry);
  }

  private openNamedObject(entry: Entry): void {
    this.openObject(entry.indent);
    this.section.draft?.add('handle', entry.value);
    this.draft.keepObject(this.section.draft, entry.value);
    this.section.filled = true;
  }

  private openObject(indent: number): void {
    this.section = {
      name: 'object',
      draft: new ContactDraft(),
      indent,
      owns: true,
      filled: false,
      ended: false,
    };
  }

  private takeDomainField(entry: Entry, field: DomainField, loose: boolean): void {
    const isOver = this.section.ended || (!loose && this.section.owns && !this.section.filled);
    if (isOver && entry.indent <= this.section.indent) this.closeSection();
    const isPartys = this.section.owns && (isContactRole(this.section.name) || this.isForeign());
    const isDeeper = entry.indent > this.section.indent;
    if (isPartys && (loose || isDeeper) && PRINTED_OF_PARTIES.has(field)) {
      this.takePartysState(entry);
      return;
    }
    if (field === 'domain' && entry.value !== '') {
      if (!this.draft.startDomain(entry.value, this.askedDomain)) return;
      if (this.grammar.lastRecordCounts) this.draft.startAgain();
      this.open('domain', entry, false);
      return;
    }
    if (!loose && !isPartys) this.closeSection();
    this.draft.setDomainField(field, entry.value, this.grammar);
  }

  /** Reads `State:` of a party as its location, unless the value is a status. */
  private takePartysState({ key, value }: Entry): void {
    if (!PLACE_KEYS.has(key) || isHoldingStatus(value)) return;
    this.section.draft?.add('state', value);
  }

  private isForeign(): boolean {
    return ['object', 'registrar', 'other'].includes(this.section.name);
  }

  private closeSection(): void {
    this.section = { ...NO_SECTION };
  }

  private takeContactField(entry: Entry, field: ContactField, role?: ContactRole): void {
    if (role !== undefined) {
      this.draft.contact(role).add(field, entry.value);
      return;
    }
    if (this.takeRoleWord(entry)) return;
    if (this.startsObject(entry)) this.openObject(entry.indent);
    if (this.section.name === 'registrar' && this.isOpenFor(entry)) {
      this.draft.setRegistrarParty(field, entry.value);
    } else if (this.section.name === 'domain' && field === 'name') {
      this.draft.startDomain(entry.value, this.askedDomain);
    } else if (this.section.name === 'nameServers' && field === 'name') {
      this.draft.addNameServer(entry.value);
    } else if (this.inParty(entry)) {
      this.addToParty(field, entry.value);
    } else if (this.grammar.looseParty !== undefined && this.section.name !== 'object') {
      this.draft.contact(this.grammar.looseParty).add(field, entry.value);
    }
    this.section.filled ||= entry.value !== '';
  }

  /**
   * Reads a header whose role is in the value: `Contact: administrative`, `Contact Type: owner`. Also reads `Contact:
   * <handle>` as the start of a contact that other lines may refer to.
   * @returns false for any other line.
   */
  private takeRoleWord(entry: Entry): boolean {
    if (entry.key !== 'contact' && entry.key !== 'contact type') return false;
    const role = roleNamed(normalizeKey(entry.value.slice(0, 40)));
    if (role?.kind === 'header') {
      this.open(role.section, entry, true);
      return true;
    }
    if (entry.key !== 'contact' || !this.startsBlock) return false;
    if (!this.draft.hasReferences() && !this.draft.isReferred(entry.value.trim())) return false;
    this.openNamedObject(entry);
    return true;
  }

  private addToParty(field: ContactField, value: string): void {
    const isObjectsName = field === 'handle' && this.section.name === 'object';
    this.section.draft?.add(isObjectsName ? 'name' : field, value);
  }

  /**
   * True for a block that begins with a contact's field, in an answer with references: such a block is a contact
   * object.
   */
  private startsObject(entry: Entry): boolean {
    if (!this.startsBlock || !this.draft.hasReferences()) return false;
    return (
      this.section.ended || this.section.name === 'none' || this.section.indent >= entry.indent
    );
  }

  /**
   * True if a field belongs to the party of the section. A labelled field may follow a blank line, unless references
   * connect the objects.
   */
  private inParty(entry: Entry): boolean {
    const { draft } = this.section;
    return draft !== undefined && (this.isOpenFor(entry) || !this.draft.hasReferences());
  }

  private isOpenFor(entry: Entry): boolean {
    return !this.section.ended || entry.indent > this.section.indent;
  }

  /** Reads a text that continues the line with a key above it, or belongs to the open section. */
  private takeText(entry: Entry): void {
    if (entry.opensUnknown) {
      this.open('other', entry, true);
      return;
    }
    const { last } = this;
    const isContinued = last !== undefined && (continues(entry, last) || isStreet(entry, last));
    if (entry.key === '' && isContinued) {
      if (this.continueLast(last, entry.value)) return;
    }
    if (this.grammar.hostPerLine) this.draft.addNameServer(entry.value.replace(/^\S+ /, ''));
    if (!this.isOpenFor(entry)) return;
    this.takeSectionText(entry);
  }

  private continueLast(last: Entry, value: string): boolean {
    const target = last.target;
    if (target === undefined) return last.key !== '' && last.value !== '';
    if (target.kind === 'domain') return this.continueDomainField(last, target.field, value);
    if (target.kind === 'registrar' && last.value === '') {
      this.draft.setRegistrar(target.field, value);
      return true;
    }
    if (target.kind !== 'contact') return false;
    const party = target.role === undefined ? this.section.draft : this.draft.contact(target.role);
    if (target.field === 'street' || target.field === 'line' || last.value === '') {
      party?.add(target.field, value);
    }
    return true;
  }

  /**
   * Continues a list, or reads a value below its key.
   * @returns false for a text below the name of a domain, which is neither.
   */
  private continueDomainField(last: Entry, field: DomainField, value: string): boolean {
    if (field === 'domain' && last.value !== '') return false;
    if (last.value === '' || MANY.has(field)) {
      this.draft.setDomainField(field, value, this.grammar);
    }
    return true;
  }

  private takeSectionText(entry: Entry): void {
    const { name, draft } = this.section;
    const text = entry.key === '' ? entry.value : '';
    if (text === '') return;
    if (name === 'nameServers') this.draft.addNameServer(text);
    else if (name === 'status') this.takeStatusText(text);
    else if (name === 'domain') this.takeDomainText(text);
    else if (name === 'registrar') this.draft.addRegistrarLine(text);
    else if (name !== 'object') draft?.add('line', text);
    this.section.filled = true;
  }

  private takeStatusText(text: string): void {
    if (text.split(' ', STATUS_WORDS_MAX + 1).length > STATUS_WORDS_MAX) this.closeSection();
    else this.draft.setDomainField('status', text, this.grammar);
  }

  private takeDomainText(text: string): void {
    if (!this.section.filled && this.section.owns) this.draft.startDomain(text, this.askedDomain);
  }
}

const PRINTED_OF_PARTIES: ReadonlySet<DomainField> = new Set(['created', 'updated', 'status']);

const PLACE_KEYS: ReadonlySet<string> = new Set(['state', 'estado', 'etat']);

const MANY: ReadonlySet<DomainField> = new Set(['nameServer', 'status', 'ds']);

/** True for a line without a key below a street; it belongs to the street, whatever its indentation. */
function isStreet({ value }: Entry, { target }: Entry): boolean {
  if (target?.kind !== 'contact' || target.field !== 'street') return false;
  return !value.includes('@') && !value.startsWith('+');
}

/**
 * True for text that is indented further than the line with the key, or that follows the key of a date without a value.
 */
function continues(entry: Entry, last: Entry): boolean {
  return entry.indent > last.indent || (last.value === '' && last.target?.kind === 'domain');
}
