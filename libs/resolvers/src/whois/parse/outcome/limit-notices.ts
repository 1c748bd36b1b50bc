import { type Announcement } from './announcements.js';
import { matchesAny } from './phrases.js';
import { RULE_WORDS } from './refusals.js';

/** Parts of words that make a sentence conditional: `if`, `when`, `in case`. */
const CONDITIONS =
  /如果|若|如需|的话|경우|않으면|하면|場合|れば|\b(?:if|si|wenn|falls|sofern|caso|jeśli|jezeli|jeżeli|если|якщо|ако|eğer|hvis|jos|kui|dacă|pokud|když|jika|apabila|nếu)\b|(?:^|\s)(?:если|якщо|ако|αν|εάν|إذا|אם)(?:\s|$)/u;

/** Stems of words about limits and rejections, in the languages of registries. */
const LIMIT_NOTICES: readonly RegExp[] = [
  // Spanish, Portuguese, Galician, Catalan, Italian, Romanian, French
  /(?:excedi|excess|exced|super|sobrepas|sobrepass|supera|depăș|depas|dépass|atteint|alcan[cz]|esgot|agotad|esaurit|raggiunt|ultrapass).{0,60}(?:l[ií]m|quot|cuota|cota|máxim|massim|maxim|número|numero|nombre|consult|richiest|requ[êe]t|solicit|pesquis|interog|limit)/,
  /(?:l[ií]mit|quot|cuota|cota|máxim|massim|maxim|número|numero|nombre|consult|richiest|requ[êe]t|solicit|pesquis|interog).{0,60}(?:excedi|exced|superad|superat|superou|sobrepas|depăș|depas|dépass|atteint|alcan[cz]|esgot|agotad|esaurit|raggiunt|ultrapass)/,
  /(?:demasiad|muchas|muitas|demasiad|troppe|troppi|trop de|prea mult|massa) ?.{0,20}(?:consult|solicit|petici|pesquis|requisi|richiest|requ[êe]t|connexion|conexi|conex|interog|cereri|interrog)/,
  /(?:intente|inténtelo|tente|riprov|réessay|reessay|veuillez patienter|încerca|espere|aguarde|attendere|torneu).{0,40}(?:tarde|tard|novamente|nuevo|più|plus|mai târziu|minut|segund|second|dopo|antes)|veuillez (?:réessayer|reessayer|patienter)/,
  /(?:acceso|acesso|accesso|accès|acces|consulta|requête) (?:.{0,20} )?(?:denegad|negad|negato|refusé|interdit|interzis|bloque|bloccat|bloquead|limitad|restringid|suspend)/,
  /(?:dirección ip|endereço ip|indirizzo ip|adresse ip|adresa ip|\bip\b).{0,40}(?:bloque|blocc|bloq|blocat|interdit|banead|banid|negr|gesperrt|blokk|zablok|блок)/,
  // German, Dutch, Scandinavian
  /(?:zu viele|zu oft|zu häufig|te veel|te vaak|for mange|för många|for ofte|för ofta)/,
  /(?:limit|grenze|kontingent|quote|höchst|maxim|aantal|anzahl|grens|gräns|grense|grænse|kvot|antal).{0,60}(?:überschritt|erreicht|erschöpft|overschred|bereikt|overskred|overskrid|nådd|nået|överskrid)/,
  /(?:später|spater|morgen|nochmals).{0,20}(?:erneut|wieder|versuch)|probeer.{0,30}(?:opnieuw|later)|prøv igen|prøv igjen|försök igen/,
  /(?:zugriff|abfrage|anfrage|zugang|toegang|adgang|tilgang|åtkomst).{0,30}(?:verweigert|gesperrt|abgelehnt|geweigerd|geblokkeerd|nægtet|nektet|nekad|blockerad|begrenzt)/,
  // Polish, Czech, Slovak, Slovene, Croatian
  /(?:przekrocz|wyczerpan|překroč|prekroč|presež|premaš|osiągn|dosažen|vyčerpá)/,
  /(?:zbyt wiele|zbyt dużo|za dużo|zbyt często|příliš mnoho|příliš často|priveľa|príliš|preveč|previše)/,
  /(?:spróbuj|zkuste|skúste|poskusite|pokušajte).{0,30}(?:później|ponownie|později|znovu|neskôr|kasneje|pozneje|ponovno)|(?:dostęp|přístup|prístup|dostop|pristup).{0,20}(?:zabron|odmów|zablok|odepř|odmiet|zavrn|odbijen|blok)/,
  // Hungarian, Finnish, Estonian, Latvian, Lithuanian, Turkish
  /(?:túllép|túl sok|túl gyakor|próbálja.{0,30}(?:később|újra)|hozzáférés (?:megtagad|letilt))/,
  /(?:ylit(?:t|et|y)|liian (?:monta|paljon|usein)|yritä.{0,20}(?:myöhemmin|uudelleen)|pääsy (?:estetty|evätty))/,
  /(?:ületa|liiga (?:palju|tihti|sageli)|proovige.{0,20}(?:hiljem|uuesti)|pārsniegt|pārāk (?:daudz|bieži)|viršyt|viršij|per daug|per dažn|bandykite.{0,20}vėliau|mēģiniet.{0,20}vēlāk)/,
  /(?:sınır|limit|kota|azami|sayısı).{0,40}(?:aş|dol)|çok fazla|çok sık|(?:tekrar|sonra).{0,20}deney|erişim.{0,20}(?:engel|redd)/,
  // Russian, Ukrainian, Bulgarian, Serbian, Greek
  /(?:превыш|перевищ|превиш|надвиш|прекорач|исчерпан|вичерпан|изчерпан)/,
  /(?:слишком (?:много|част)|забагато|занадто|твърде|превише)|(?:попробуйте|повторите|спробуйте|опитайте|покушајте).{0,30}(?:позже|пізніше|по-късно|касније|снова|отново)|(?:доступ|достъп|приступ).{0,30}(?:запрещ|заборон|отказ|огранич|обмеж|блок|забран)/,
  /(?:υπέρβασ|υπερβ|υπερέβ|ξεπερ|πάρα πολλ|υπερβολικ|προσπαθήστε|απαγορεύ)/,
  // Arabic, Persian, Hebrew, Hindi, Thai, Vietnamese, Indonesian and Malay
  /(?:تجاوز|عدد كبير|كثير من|الحد الأقصى|حاول|محظور|بیش از حد|سقف|محدودیت|مسدود)/,
  /(?:חרגת|יותר מדי|מכסה|נסה שוב|חסומ|סीमा|सीमा|बहुत अधिक|बाद में|अवरुद्ध)/,
  /(?:เกิน|มากเกินไป|ลองใหม่|ถูกระงับ|ถูกบล็อก|vượt quá|quá nhiều|thử lại|bị chặn|melebihi|melampaui|terlalu (?:banyak|kerap|sering)|coba lagi|cuba lagi|diblokir|disekat)/,
  // Chinese, Japanese, Korean
  /(?:超过|超過|超出|超限|过于频繁|過於頻繁|频率|頻率|频繁|頻繁|过多|過多|太多|太快|太频|限制|上限|稍后|稍後|封禁|禁止访问|拒绝|拒絕|黑名单)/,
  /(?:制限|上限|超え|回数|しばらく|多すぎ|拒否|お待ち|頻度)/,
  /(?:초과|한도|너무 많|제한되|제한 되|차단|잠시 후|다시 시도|거부|과도)/,
];

/**
 * True if a line states that a limit was exceeded, in the languages of registries: `Consultas excedidas`, `查询过于频繁`,
 * `Слишком много запросов`. General rules do not count.
 */
export function isLimitNotice({ text, isProse }: Announcement): boolean {
  if (isProse || matchesAny(text, RULE_WORDS)) return false;
  return LIMIT_NOTICES.some((it) => it.test(text)) && !isConditional(text);
}

/**
 * True for a sentence with `if`, `when` and the like, but not if the word is part of a name: `example.si` is not a
 * condition.
 */
function isConditional(text: string): boolean {
  return CONDITIONS.test(text.replace(/\S*\.\S+/g, ' '));
}
