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

/** More words that long terms of use of registries hold, in the languages in which they are printed. */
export const TERMS_WORDS: ReadonlySet<string> = new Set(
  (
    'been block partially throttle withheld usage tout qualit personnes abusif ' +
    'able absolutamente abuse abusif abusing accept acceptance accepted accordance accurate ' +
    'acepta acerca acest acquired action actions activity acts actualizacion actualización ' +
    'acuerdo addressed admin administrative advertisings afectados aforesaid against aggregating ' +
    'agreed al alerts alleinige allow allowed allowing allows alt anti-abuse applicable appointed ' +
    'approval arising assist assisting associated association assurance attempt auda auf ' +
    'autorisation autoritativa autorizaci availability bajo bar base behavior bei believe ' +
    'believed breaches business busqueda but búsqueda campaign capable carefully case cause ' +
    'central change changes chaque circulation collect collecting combine comerciales ' +
    'comercialization commercialization commits communiqu compiling complete completeness ' +
    'completing computer con concern concerns concrete confirm confirming conjunction connected ' +
    'connection consent constant constitutes consult consulta contacts containing contemplation ' +
    'content contiene continuación contract contravene contravention conventions copie correo ' +
    'correos corresponda could customers cuyo cxda damage das datelor datenbank datos de ' +
    'deactivate decat declara del delay department der derived derselben des designated designed ' +
    'desplegada destroy detallados detecting determining dicha different direct directed ' +
    'directory discloses discretion disponibilit disponibles distribute disturbs documented ' +
    'documents domaine dominio dominios done donn données dotberlin dotcoop downloading du ' +
    'duplication effect effort either el electr electronically electronico electrónico en enforce ' +
    'engage enregistr ensure entirely entities env envios envíos error-free es especially est ' +
    'este et even event exactitudes exceeding except excessive exclusivamente exclusive ' +
    'exclusively executing existing expiration explicit express expresse extract extraction ' +
    'facilitate facsimile fact familiarise fax fines fois folosirea fournies free fueron ' +
    'fundamental future garantit generada general generally generate generated governed ha hace ' +
    'hacerla harvest has having held herein hereof hide hiding historical hunting identification ' +
    'identity ie if immediate implemented improper inaccurate include includes incluyendo ' +
    'incomplete indicate individuals informacion información informatif informativo infringe ' +
    'initiate inquiry integrity intellectual interdite interest internacionales international ' +
    'into issues iv jeopardize jeopardizes jour la las le legales legislation legitimate les leur ' +
    'leurs leyes liability liable license licensed liegt likely limit limitation limitations ' +
    'limited limiting logged looking los ma maintain maintainers maintains maintenue make making ' +
    'manner market masivos materia material matter means measures mechanical mechanism mechanisms ' +
    'mediar member mentioned messages might minutes mismos missuse misuse mitigated modification ' +
    'monitored monitoring much muestran multiple ne necessarily necessities nicos nom ' +
    'non-commercial non-current notification object obscure obscuring obtaining obtencion ' +
    'obtención oder offence officially omissions on-site onsite operarea operators opinion order ' +
    'organisations oricare otros ou outweighed owning par para partial particular particularly ' +
    'partie partir partly pas pe permet permit personnes pertaining por possession postal ' +
    'prejudice presented prestataires problem procedures proceedings produce productos prohibido ' +
    'promises promoci promotions prop property proporcionada proporcionados proposito propósito ' +
    'prosecuted prosecution protect protegida prove provide providers provisions publica ' +
    'publications publicidad publicitarios publie puede puntcat pursuant pública qu qualitative ' +
    'qualitatively quantitative quantitatively que queda rate rdds re-use re-utilise re-utilize ' +
    'read realizar reason reasonably recht recipient recompilation recording redacted ' +
    'redistribution refer reflect refrain regards registros regulation regulations relacionado ' +
    'reliable relied remarks remedy removing report reported reporting representative ' +
    'reproductions reputation required requirements research resellers respectivelly ' +
    'responsabilit responsable response restrictions retelei review rification robotic rule sans ' +
    'scop se searches section sense seran serviced servicio servicios servidor serán sido similar ' +
    'sin single sirve sistema sitos so sobre sole solicitados solicitations solo son sont sources ' +
    'spam specified speculative speech sponsoring stability statute statutory still strict su ' +
    'submission subsequent supporting sur suspend take tech teile terminate textual than their ' +
    'them thereto they those titre titulaire todos top-level tout transferred transmitted ' +
    'transposing tratados ultima un una unauthorised undertake une unicamente uniquement unlawful ' +
    'unless upon uso usted utilise utilizados utilizara utilizing veracidad verbreitung ' +
    'verification versions vervielfältigung vi view visible volumes warning warranties web-based ' +
    'webbased well whatsoever wholly-owned wiedergabe wireless wish would wrong ya yourself ' +
    'öffentliche última únicamente übermittlung'
  ).split(' '),
);
