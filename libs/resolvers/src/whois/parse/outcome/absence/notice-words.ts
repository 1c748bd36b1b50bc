/** The words of short sentences in notices of registries; see `isNotice`. */
export const NOTICE_WORDS: ReadonlySet<string> = new Set(
  (
    'a asking exceed abide about above abusive accepts access accessing according accredited accuracy achieve acknowledge ' +
    'acknowledges act activities addition additional additionally address addresses adhere administers ' +
    'administration administrator advertising advised ag agree agreeing agreement all also alternative an and ' +
    'any anyone application applies apply apr april are area as as-is ascii at aug august authorised ' +
    'authoritative authorized automated automatic available aware b based basis be behalf behind below body ' +
    'bound breach browse build bulk bv by c ca can cannot carry cases cctld certain changed characters ' +
    'charge charged circumstances claim claims co codes collected collection combined command commercial ' +
    'communications community company competing compilation compile complaint complaints comply concerning ' +
    'condition conditions considered constitute consulted contact contacting contain contained contains contents ' +
    'copied copy copying copyright counterfeit d damages data database databases date day dec december described ' +
    'detailed details disclaimer disclosed disclosure display displays disputes dissemination ' +
    'distribution dns do does domain domains download during e e-mail each electronic email enable ' +
    'enabled enabling encoded encoding enforcement engine english entering entire entirety entity epp ' +
    'established every exempt explicitly expressly external extracted facility fashion feb february find follow ' +
    'following follows for forbidden form format found fri from full further furthermore given gmbh gmt go ' +
    'gtld guarantee guaranteed guarantees guidance h harass have hello help help-desk helpdesk here high ' +
    'high-volume holder holders how http https i icann identify identifying idn ii iii implies important in ' +
    'inaccuracy inc including inclusive inconsistent individual information informational infringement ' +
    'institutions intended interface internet investment ip is issued it its itself jan january judgement jul ' +
    'july jun june kg kind kinds lag language later law lawful lawfully laws legal letters level levels licence ' +
    'licences like limits list lists local look-up lookup lookups ltd made mail maintained makes manager many ' +
    'mar march marketing mass match maximum may media medium members mining modify mon more moreover must name ' +
    'names nature necessary neither network never no nor not note notice notices notified nov november ' +
    'nuisance objects obligations observe obtain obtained oct october of offered offers office official on one ' +
    'only operated operates operating operation operational operator option or organisation organization other ' +
    'others otherwise our out output over own ownership paid part parts party peer penal per performed ' +
    'permission permitted person personal persons phone please points policies policy port portion possible ' +
    'powered present previously printed printing printout prior privacy process processes producing product ' +
    'production prohibited promotional proper protected protection protects protocol provided provides providing ' +
    'public publication publish published purpose purposes quantity queries query query-based querying questions ' +
    'quotes rdap reasonable reasons recognised record records redistribute regarding regardless register ' +
    'registered registrant registrants registrar registrars registration registrations registry regulated ' +
    'related relating relation relevant remove repackage repackaging reproduce reproduced reproduction request ' +
    'requesting requests require requirement reserve reserves respect responses responsibility ' +
    'responsible restrict result results retrieval retrieve reuse right rights rules running sa sale ' +
    'same sanction sanctions sat scope search second secondary security see select sell selling send sending ' +
    'sent sep september served server servers serves service services serving set settled shall short should ' +
    'shown site sites solely special specifically specific sponsored stated status store stored storing strictly sub-mitting ' +
    'subdomain subject subjects submitting substantial such sun supplied supply support supported suppress ' +
    'suspicions system systems target targeted technical tel telephone term terms text that the thereof these ' +
    'third third-party this through thu time tld to tools top transmission transmit tue type types uk under ' +
    'undertaken undertakes unicode unit unsolicited up update updated url us usable usage use used user ' +
    'users uses using utc various ver version via violate violates violation violations visit visitors volume ' +
    'warranty was way we web webpage website wed welcome where whether which who whois whoisd whole wholly whose ' +
    'wildcard will with within without world writing written you your zone'
  ).split(' '),
);
