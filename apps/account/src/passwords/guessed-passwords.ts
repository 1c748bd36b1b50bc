/**
 * Passwords that guessers try first. Not a recorded leak: composed here from words and key walks that
 * every published list begins with, and the endings people add to satisfy composition rules. An
 * operator with a real list at hand may check against that as well.
 */
const WORDS =
  `password passwort passw0rd p@ssword p@ssw0rd motdepasse contrasena senha parola welcome willkommen
  bienvenue letmein trustno1 whatever qwerty qwertz azerty qwertyuiop asdfgh asdfghjkl zxcvbn zxcvbnm qazwsx
  1qaz2wsx 1q2w3e4r 1q2w3e q1w2e3r4 abc123 abcdef abcd1234 abc12345 aaaaaa admin administrator root toor user guest test
  testing login access master superman batman spiderman ironman starwars pokemon pikachu naruto dragon monkey
  tiger lion eagle falcon panther shadow phoenix unicorn butterfly princess prince queen king angel angels
  sunshine rainbow flower summer winter spring autumn january february march april june july august september
  october november december monday tuesday wednesday thursday friday saturday sunday football baseball
  basketball soccer hockey tennis golf liverpool arsenal chelsea barcelona juventus manchester yankees cowboys
  steelers lakers michael jennifer jessica ashley amanda nicole daniel matthew anthony joshua andrew charlie
  thomas robert george william jordan hunter harley ranger buster killer pepper ginger cookie cheese chocolate
  banana orange apple cherry peach hello hello123 iloveyou loveyou lovely loveme forever family friends friend
  mother father sister brother babygirl babyboy baby jesus christ god heaven blessed freedom america london
  paris berlin madrid canada mexico brasil india russia computer internet windows microsoft google facebook
  samsung android iphone apple123 secret secret123 private security changeme change default temp temporary
  company business office server database domain hosting website network system service support mustang
  ferrari porsche corvette mercedes yamaha kawasaki honda toyota nissan matrix merlin gandalf hobbit frodo
  zelda mario sonic minecraft fortnite roblox nintendo playstation xbox gamer ninja samurai warrior soldier
  marine army navy police doctor nurse teacher student college school university summer1 diamond silver
  golden purple yellow orange1 black white green blue red pass word money dollar lucky lucky7 casino
  poker blink182 metallica nirvana slipknot guitar music dance party beach ocean river mountain thunder
  lightning storm fire water earth moon star stars galaxy cosmos rocket turbo racing speed power`
    .split(/\s+/)
    .map((word) => word.trim());

const ENDINGS = [
  '',
  ...`1 2 3 7 0 11 12 13 21 22 23 69 77 88 99 00 01 007 111 123 1234 12345 123456 321 666 777 ! !! @ #
  1! 12! 123! @1 @123 #1 ? . * $`.split(/\s+/),
  ...Array.from({ length: 50 }, (_, i) => String(1980 + i)),
  ...Array.from({ length: 16 }, (_, i) => `${2015 + i}!`),
];

const WALKS =
  `12345678 123456789 1234567890 0123456789 87654321 987654321 0987654321 11111111 111111111 00000000
  000000000 22222222 55555555 66666666 77777777 88888888 99999999 12341234 12121212 11223344 1122334455
  123123123 123321123 147258369 159357456 741852963 789456123 a1b2c3d4 abcdefgh abcdefghi qwerty12 qwer1234
  asdf1234 zxcv1234 qwertyui asdfasdf qweasdzxc 1qazxsw2 zaq12wsx !qaz2wsx 1234qwer q1w2e3r4t5 1q2w3e4r5t
  qazwsxedc asdfghjkl; correcthorsebatterystaple`.split(/\s+/);

const LENGTH_MIN = 8;

const guessedPasswords = new Set(
  [...WALKS, ...WORDS.flatMap((word) => [word, word + word].flatMap(withEndings))].filter(
    (password) => password.length >= LENGTH_MIN,
  ),
);

function withEndings(word: string): string[] {
  return ENDINGS.map((ending) => word + ending);
}

/** How many there are; capital letters and the usual look-alikes count as the letter. */
export const GUESSED_PASSWORD_COUNT = guessedPasswords.size;

const LOOK_ALIKES: Record<string, string> = {
  '@': 'a',
  '4': 'a',
  '0': 'o',
  '3': 'e',
  $: 's',
  '5': 's',
};

/** True for a password that attackers try first, also with another ending or look-alike letters (S21). */
export function isGuessedPassword(password: string): boolean {
  const lower = password.normalize('NFKC').toLowerCase();
  if (guessedPasswords.has(lower)) return true;
  // Only before the ending: a year's digits are no letters.
  const [, stem, ending] = /^(.*?)([0-9!@#?.*$]*)$/s.exec(lower) ?? [];
  const plain = stem.replace(/[@403$5]/g, (sign) => LOOK_ALIKES[sign]);
  return guessedPasswords.has(plain + ending);
}
