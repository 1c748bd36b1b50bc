/** Represents a suffix of the queried name, such as `.example`; the suffix itself is a different name. */
export const SUFFIX = '\u0002';

/** Phrases that state that a name is not registered, by their first word; see `saysAbsent`. */
export const ABSENCE_CORES = byFirstWord([
  'not found | not registered | not registred | not been registered | not yet registered',
  "not currently registered | not a registered | not a registered SUFFIX | isn't registered | is unregistered | unregistered",
  'domain unknown | unknown domain | unknown domain name | nothing found | nothing was found | no found',
  'no such domain | no such domain name | no such object | no such record | no such entry | no such name',
  'no such domain found | no such domain exists | no such object found | no such object exists',
  'we do not have an entry | we do not have a record | we do not have any record | we have no record',
  'query returned 0 objects | returned 0 objects | 0 objects found | returned no objects | no hits',
  // Spanish, Portuguese, French, German, Italian
  'no encontrado | no registrado | no esta registrado | no está registrado',
  'no se encuentra registrado | no se encontro | no se encontró | nao encontrado | não encontrado',
  'nao registrado | não registrado | nao registado | não registado | não está registado',
  "n'existe pas | introuvable | non trouvé | non trouvée | nicht gefunden | nicht registriert | non trovato | non registrato",
  // Hungarian, Polish, Czech, Turkish, Swedish, Dutch, Estonian, Latvian
  'nincs talalat | nincs találat | nie istnieje | nie znaleziono | nenalezen | nenalezena',
  'bulunamadi | bulunamadı | kayıtlı değil | finns inte | niet gevonden | niet geregistreerd',
  'ei leitud | nav atrasts',
]);

/** Phrases that state an absence only together with a subject: a name, a domain, a record. */
export const ABSENCE_OF_SUBJECT = byFirstWord([
  "not known | not exist | not exists | doesn't exist | not existing",
  'not in database | not in the database | not in our database | not in our records',
  'not have an entry | not have any data | could not be found | cannot be found | can not be found',
  "couldn't be found | no existing | no existe | nao existe | não existe | inexistente",
  'existiert nicht',
]);

/** Phrases of a search without a result; the object of the search must follow. */
export const SEARCHES = byFirstWord([
  "could not find | cannot find | can not find | couldn't find | can't find | did not find",
  "unable to find | we could not find | we cannot find | we couldn't find | we did not find",
]);

/** Phrases that state availability instead of absence; only a few words may accompany them. */
export const FREE_CORES = byFirstWord([
  'available | available for registration | available for new registration',
  'disponible',
]);

export const FREE_OF_SUBJECT = byFirstWord(['free | free for registration | libre']);

export const SUBJECTS = wordsOf(
  'domain domains domainname name names object objects record records entry entries status state ' +
    'dominio domínio domaine domäne domena doména nazwa alan',
);

export const BEFORE_ABSENCE = wordsOf(
  'a an any the this that these above requested queried specified given selected entered searched ' +
    'you data sorry unfortunately but have has had been is was are were do does it currently search ' +
    'result results there and or registration matching ' +
    'el la le les du de o os dominios nombre nome nom objeto objet consultado der die das adı ad',
);

/** Phrases that may follow a phrase of absence: the place in which nothing was found. */
export const PLACES_ELSEWHERE = byFirstWord([
  'in the selected source | in the selected sources | in the selected source s',
  'in our records | en la base de datos | na base de dados',
]);

/** Words that link an absence to the object of the search: `for the requested name`, `matching your query`. */
export const LEADS_TO_SOUGHT = wordsOf(
  'for of about with to match matching the this that your our',
);
/** Words, other than names, that describe what was searched for: `requested`, `given`, `query`. */
export const SOUGHT = wordsOf(
  'query request search criteria requested queried specified given selected source sources s',
);

export const AROUND_FREE = wordsOf('this the is registration query currently yes still 220');

/** Words for things that exist if they are available, without a status: `this record is available`. */
export const EXISTING = wordsOf('entry entries object objects query record records registration');

export const PLACES = wordsOf('database databases db registry register whois system');

/** Words that may name such a place: those in recorded answers, and the registries that sent the answers. */
export const PLACE_WORDS = wordsOf(
  'the our this of dot domain name server operator official global internet ' +
    'afilias afnic dk educause eurid icb nask neustar verisign',
);

/** The nouns that may follow "no" in "no … found". */
export const NOUNS = wordsOf(
  'matching domain domains name names object objects record records entry entries data information ' +
    'info result results match matches item items registration registrations whois registered',
);
export const MAY_LACK_VERB = wordsOf('match matches matching');

export type Phrases = ReadonlyMap<string, readonly (readonly string[])[]>;

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.split(' '));
}

function byFirstWord(lines: readonly string[]): Phrases {
  const phrases = lines
    .flatMap((line) => line.split(' | '))
    .map((phrase) => phrase.split(' ').map((word) => (word === 'SUFFIX' ? SUFFIX : word)));
  return Map.groupBy(phrases, ([first]) => first);
}
