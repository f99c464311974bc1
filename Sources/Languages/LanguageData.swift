// SPDX-License-Identifier: Apache-2.0 AND Unicode-DFS-2016
// SPDX-FileCopyrightText: 2026 The Larder authors
// SPDX-FileCopyrightText: 1991-2022 Unicode, Inc.

/// What the Unicode Common Locale Data Repository, version 41, says of languages. Written by scripts/languages.
enum LanguageData {
    /// `language:Script-REGION`, and the same for a language with a script or a region: what is meant when the rest is left
    /// out. Languages whose region is not known are left out.
    static let likely = """
        aa:Latn-ET ab:Cyrl-GE abr:Latn-GH ace:Latn-ID ach:Latn-UG ada:Latn-GH adp:Tibt-BT ady:Cyrl-RU ae:Avst-IR \
        aeb:Arab-TN af:Latn-ZA agq:Latn-CM aho:Ahom-IN ak:Latn-GH akk:Xsux-IQ aln:Latn-XK alt:Cyrl-RU am:Ethi-ET \
        amo:Latn-NG an:Latn-ES aoz:Latn-ID apd:Arab-TG ar:Arab-EG arc-Nbat:Nbat-JO arc-Palm:Palm-SY arc:Armi-IR \
        arn:Latn-CL aro:Latn-BO arq:Arab-DZ ars:Arab-SA ary:Arab-MA arz:Arab-EG as:Beng-IN asa:Latn-TZ ase:Sgnw-US \
        ast:Latn-ES atj:Latn-CA av:Cyrl-RU awa:Deva-IN ay:Latn-BO az-Arab:Arab-IR az-IQ:Arab-IQ az-IR:Arab-IR \
        az-RU:Cyrl-RU az:Latn-AZ ba:Cyrl-RU bal:Arab-PK ban:Latn-ID bap:Deva-NP bar:Latn-AT bas:Latn-CM bax:Bamu-CM \
        bbc:Latn-ID bbj:Latn-CM bci:Latn-CI be:Cyrl-BY bej:Arab-SD bem:Latn-ZM bew:Latn-ID bez:Latn-TZ bfd:Latn-CM \
        bfq:Taml-IN bft:Arab-PK bfy:Deva-IN bg:Cyrl-BG bgc:Deva-IN bgn:Arab-PK bgx:Grek-TR bhb:Deva-IN bhi:Deva-IN \
        bho:Deva-IN bi:Latn-VU bik:Latn-PH bin:Latn-NG bjj:Deva-IN bjn:Latn-ID bjt:Latn-SN bkm:Latn-CM bku:Latn-PH \
        bla:Latn-CA blg:Latn-MY blt:Tavt-VN bm:Latn-ML bmq:Latn-ML bn:Beng-BD bo:Tibt-CN bpy:Beng-IN bqi:Arab-IR \
        bqv:Latn-CI br:Latn-FR bra:Deva-IN brh:Arab-PK brx:Deva-IN bs:Latn-BA bsq:Bass-LR bss:Latn-CM bto:Latn-PH \
        btv:Deva-PK bua:Cyrl-RU buc:Latn-YT bug:Latn-ID bum:Latn-CM bvb:Latn-GQ byn:Ethi-ER byv:Latn-CM bze:Latn-ML \
        ca:Latn-ES cad:Latn-US cch:Latn-NG ccp:Cakm-BD ce:Cyrl-RU ceb:Latn-PH cgg:Latn-UG ch:Latn-GU chk:Latn-FM \
        chm:Cyrl-RU cho:Latn-US chp:Latn-CA chr:Cher-US cic:Latn-US cja:Arab-KH cjm:Cham-VN ckb:Arab-IQ clc:Latn-CA \
        cmg:Soyo-MN co:Latn-FR cop:Copt-EG cps:Latn-PH cr:Cans-CA crg:Latn-CA crh:Cyrl-UA crk:Cans-CA crl:Cans-CA \
        crs:Latn-SC cs:Latn-CZ csb:Latn-PL csw:Cans-CA ctd:Pauc-MM cu-Glag:Glag-BG cu:Cyrl-RU cv:Cyrl-RU cy:Latn-GB \
        da:Latn-DK daf:Latn-CI dak:Latn-US dar:Cyrl-RU dav:Latn-KE dcc:Arab-IN de:Latn-DE den:Latn-CA dgr:Latn-CA \
        dje:Latn-NE dmf:Medf-NG dnj:Latn-CI doi:Deva-IN drh:Mong-CN dsb:Latn-DE dtm:Latn-ML dtp:Latn-MY dty:Deva-NP \
        dua:Latn-CM dv:Thaa-MV dyo:Latn-SN dyu:Latn-BF dz:Tibt-BT ebu:Latn-KE ee:Latn-GH efi:Latn-NG egl:Latn-IT \
        egy:Egyp-EG eky:Kali-MM el:Grek-GR en-Shaw:Shaw-GB en:Latn-US eo:Latn-001 es:Latn-ES esg:Gonm-IN esu:Latn-US \
        et:Latn-EE ett:Ital-IT eu:Latn-ES ewo:Latn-CM ext:Latn-ES fa:Arab-IR fan:Latn-GQ ff-Adlm:Adlm-GN ff:Latn-SN \
        ffm:Latn-ML fi:Latn-FI fia:Arab-SD fil:Latn-PH fit:Latn-SE fj:Latn-FJ fo:Latn-FO fon:Latn-BJ fr:Latn-FR \
        frc:Latn-US frp:Latn-FR frr:Latn-DE frs:Latn-DE fub:Arab-CM fud:Latn-WF fuf:Latn-GN fuq:Latn-NE fur:Latn-IT \
        fuv:Latn-NG fvr:Latn-SD fy:Latn-NL ga:Latn-IE gaa:Latn-GH gag:Latn-MD gan:Hans-CN gay:Latn-ID gbm:Deva-IN \
        gbz:Arab-IR gcr:Latn-GF gd:Latn-GB gez:Ethi-ET ggn:Deva-NP gil:Latn-KI gjk:Arab-PK gju:Arab-PK gl:Latn-ES \
        glk:Arab-IR gn:Latn-PY gom:Deva-IN gon:Telu-IN gor:Latn-ID gos:Latn-NL got:Goth-UA grc-Linb:Linb-GR \
        grc:Cprt-CY grt:Beng-IN gsw:Latn-CH gu:Gujr-IN gub:Latn-BR guc:Latn-CO gur:Latn-GH guz:Latn-KE gv:Latn-IM \
        gvr:Deva-NP gwi:Latn-CA ha-CM:Arab-CM ha-SD:Arab-SD ha:Latn-NG hak:Hans-CN haw:Latn-US haz:Arab-AF he:Hebr-IL \
        hi-Latn:Latn-IN hi:Deva-IN hif:Latn-FJ hil:Latn-PH hlu:Hluw-TR hmd:Plrd-CN hnd:Arab-PK hne:Deva-IN \
        hnj:Hmnp-US hnn:Latn-PH hno:Arab-PK ho:Latn-PG hoc:Deva-IN hoj:Deva-IN hr:Latn-HR hsb:Latn-DE hsn:Hans-CN \
        ht:Latn-HT hu:Latn-HU hur:Latn-CA hy:Armn-AM hz:Latn-NA ia:Latn-001 iba:Latn-MY ibb:Latn-NG id:Latn-ID \
        ife:Latn-TG ig:Latn-NG ii:Yiii-CN ik:Latn-US ilo:Latn-PH in:Latn-ID inh:Cyrl-RU io:Latn-001 is:Latn-IS \
        it:Latn-IT iu:Cans-CA iw:Hebr-IL izh:Latn-RU ja:Jpan-JP jam:Latn-JM jbo:Latn-001 jgo:Latn-CM ji:Hebr-UA \
        jmc:Latn-TZ jml:Deva-NP jut:Latn-DK jv:Latn-ID jw:Latn-ID ka:Geor-GE kaa:Cyrl-UZ kab:Latn-DZ kac:Latn-MM \
        kaj:Latn-NG kam:Latn-KE kao:Latn-ML kaw:Kawi-ID kbd:Cyrl-RU kby:Arab-NE kcg:Latn-NG kck:Latn-ZW kde:Latn-TZ \
        kdh:Latn-TG kdt:Thai-TH kea:Latn-CV ken:Latn-CM kfo:Latn-CI kfr:Deva-IN kfy:Deva-IN kg:Latn-CD kge:Latn-ID \
        kgp:Latn-BR kha:Latn-IN khb:Talu-CN khn:Deva-IN khq:Latn-ML kht:Mymr-IN khw:Arab-PK ki:Latn-KE kiu:Latn-TR \
        kj:Latn-NA kjg:Laoo-LA kk-AF:Arab-AF kk-Arab:Arab-CN kk-CN:Arab-CN kk-IR:Arab-IR kk-MN:Arab-MN kk:Cyrl-KZ \
        kkj:Latn-CM kl:Latn-GL kln:Latn-KE km:Khmr-KH kmb:Latn-AO kn:Knda-IN knf:Latn-GW ko:Kore-KR koi:Cyrl-RU \
        kok:Deva-IN kos:Latn-FM kpe:Latn-LR krc:Cyrl-RU kri:Latn-SL krj:Latn-PH krl:Latn-RU kru:Deva-IN ks:Arab-IN \
        ksb:Latn-TZ ksf:Latn-CM ksh:Latn-DE ktr:Latn-MY ku-Arab:Arab-IQ ku-LB:Arab-LB ku-Yezi:Yezi-GE ku:Latn-TR \
        kum:Cyrl-RU kv:Cyrl-RU kvr:Latn-ID kvx:Arab-PK kw:Latn-GB kwk:Latn-CA kxl:Deva-IN kxm:Thai-TH kxp:Arab-PK \
        ky-Arab:Arab-CN ky-CN:Arab-CN ky-Latn:Latn-TR ky-TR:Latn-TR ky:Cyrl-KG kzj:Latn-MY kzt:Latn-MY la:Latn-VA \
        lab:Lina-GR lad:Hebr-IL lag:Latn-TZ lah:Arab-PK laj:Latn-UG lb:Latn-LU lbe:Cyrl-RU lbw:Latn-ID lcp:Thai-CN \
        lep:Lepc-IN lez:Cyrl-RU lg:Latn-UG li:Latn-NL lif-Limb:Limb-IN lif:Deva-NP lij:Latn-IT lil:Latn-CA \
        lis:Lisu-CN ljp:Latn-ID lki:Arab-IR lkt:Latn-US lmn:Telu-IN lmo:Latn-IT ln:Latn-CD lo:Laoo-LA lol:Latn-CD \
        loz:Latn-ZM lrc:Arab-IR lt:Latn-LT ltg:Latn-LV lu:Latn-CD lua:Latn-CD luo:Latn-KE luy:Latn-KE luz:Arab-IR \
        lv:Latn-LV lwl:Thai-TH lzh:Hans-CN lzz:Latn-TR mad:Latn-ID maf:Latn-CM mag:Deva-IN mai:Deva-IN mak:Latn-ID \
        man-GN:Nkoo-GN man-Nkoo:Nkoo-GN man:Latn-GM mas:Latn-KE maz:Latn-MX mdf:Cyrl-RU mdh:Latn-PH mdr:Latn-ID \
        men:Latn-SL mer:Latn-KE mfa:Arab-TH mfe:Latn-MU mg:Latn-MG mgh:Latn-MZ mgo:Latn-CM mgp:Deva-NP mgy:Latn-TZ \
        mh:Latn-MH mi:Latn-NZ mic:Latn-CA min:Latn-ID mk:Cyrl-MK ml:Mlym-IN mls:Latn-SD mn-CN:Mong-CN mn-Mong:Mong-CN \
        mn:Cyrl-MN mni:Beng-IN mnw:Mymr-MM mo:Latn-RO moe:Latn-CA moh:Latn-CA mos:Latn-BF mr:Deva-IN mrd:Deva-NP \
        mrj:Cyrl-RU mro:Mroo-BD ms-CC:Arab-CC ms:Latn-MY mt:Latn-MT mtr:Deva-IN mua:Latn-CM mus:Latn-US mvy:Arab-PK \
        mwk:Latn-ML mwr:Deva-IN mwv:Latn-ID mww:Hmnp-US mxc:Latn-ZW my:Mymr-MM myv:Cyrl-RU myx:Latn-UG myz:Mand-IR \
        mzn:Arab-IR na:Latn-NR nan:Hans-CN nap:Latn-IT naq:Latn-NA nb:Latn-NO nch:Latn-MX nd:Latn-ZW ndc:Latn-MZ \
        nds:Latn-DE ne:Deva-NP new:Deva-NP ng:Latn-NA ngl:Latn-MZ nhe:Latn-MX nhw:Latn-MX nij:Latn-ID niu:Latn-NU \
        njo:Latn-IN nl:Latn-NL nmg:Latn-CM nn:Latn-NO nnh:Latn-CM nnp:Wcho-IN no:Latn-NO nod:Lana-TH noe:Deva-IN \
        non:Runr-SE nqo:Nkoo-GN nr:Latn-ZA nsk:Cans-CA nso:Latn-ZA nst:Tnsa-IN nus:Latn-SS nv:Latn-US nxq:Latn-CN \
        ny:Latn-MW nym:Latn-TZ nyn:Latn-UG nzi:Latn-GH oc:Latn-FR oj:Cans-CA ojs:Cans-CA oka:Latn-CA om:Latn-ET \
        or:Orya-IN os:Cyrl-GE osa:Osge-US otk:Orkh-MN oui:Ougr-143 pa-Arab:Arab-PK pa-PK:Arab-PK pa:Guru-IN \
        pag:Latn-PH pal-Phlp:Phlp-CN pal:Phli-IR pam:Latn-PH pap:Latn-AW pau:Latn-PW pcd:Latn-FR pcm:Latn-NG \
        pdc:Latn-US pdt:Latn-CA peo:Xpeo-IR pfl:Latn-DE phn:Phnx-LB pka:Brah-IN pko:Latn-KE pl:Latn-PL pms:Latn-IT \
        pnt:Grek-GR pon:Latn-FM ppa:Deva-IN pqm:Latn-CA pra:Khar-PK prd:Arab-IR prg:Latn-001 ps:Arab-AF pt:Latn-BR \
        puu:Latn-GA qu:Latn-PE quc:Latn-GT qug:Latn-EC raj:Deva-IN rcf:Latn-RE rej:Latn-ID rgn:Latn-IT rhg:Rohg-MM \
        ria:Latn-IN rif-NL:Latn-NL rif:Tfng-MA rjs:Deva-NP rkt:Beng-BD rm:Latn-CH rmf:Latn-FI rmo:Latn-CH rmt:Arab-IR \
        rmu:Latn-SE rn:Latn-BI rng:Latn-MZ ro:Latn-RO rob:Latn-ID rof:Latn-TZ rtm:Latn-FJ ru:Cyrl-RU rue:Cyrl-UA \
        rug:Latn-SB rw:Latn-RW rwk:Latn-TZ ryu:Kana-JP sa:Deva-IN saf:Latn-GH sah:Cyrl-RU saq:Latn-KE sas:Latn-ID \
        sat:Olck-IN sav:Latn-SN saz:Saur-IN sbp:Latn-TZ sc:Latn-IT sck:Deva-IN scn:Latn-IT sco:Latn-GB \
        sd-Deva:Deva-IN sd-IN:Deva-IN sd-Khoj:Khoj-IN sd-Sind:Sind-IN sd:Arab-PK sdc:Latn-IT sdh:Arab-IR se:Latn-NO \
        sef:Latn-CI seh:Latn-MZ sei:Latn-MX ses:Latn-ML sg:Latn-CF sga:Ogam-IE sgs:Latn-LT shi:Tfng-MA shn:Mymr-MM \
        si:Sinh-LK sid:Latn-ET sk:Latn-SK skr:Arab-PK sl:Latn-SI sli:Latn-PL sly:Latn-ID sm:Latn-WS sma:Latn-SE \
        smj:Latn-SE smn:Latn-FI smp:Samr-IL sms:Latn-FI sn:Latn-ZW snk:Latn-ML so:Latn-SO sog:Sogd-UZ sou:Thai-TH \
        sq:Latn-AL sr-ME:Latn-ME sr-RO:Latn-RO sr-RU:Latn-RU sr-TR:Latn-TR sr:Cyrl-RS srb:Sora-IN srn:Latn-SR \
        srr:Latn-SN srx:Deva-IN ss:Latn-ZA ssy:Latn-ER st:Latn-ZA stq:Latn-DE su:Latn-ID suk:Latn-TZ sus:Latn-GN \
        sv:Latn-SE sw:Latn-TZ swb:Arab-YT swc:Latn-CD swg:Latn-DE swv:Deva-IN sxn:Latn-ID syl:Beng-BD syr:Syrc-IQ \
        szl:Latn-PL ta:Taml-IN taj:Deva-NP tbw:Latn-PH tcy:Knda-IN tdd:Tale-CN tdg:Deva-NP tdh:Deva-NP tdu:Latn-MY \
        te:Telu-IN tem:Latn-SL teo:Latn-UG tet:Latn-TL tg-Arab:Arab-PK tg-PK:Arab-PK tg:Cyrl-TJ th:Thai-TH \
        thl:Deva-NP thq:Deva-NP thr:Deva-NP ti:Ethi-ET tig:Ethi-ER tiv:Latn-NG tk:Latn-TM tkl:Latn-TK tkr:Latn-AZ \
        tkt:Deva-NP tl:Latn-PH tly:Latn-AZ tmh:Latn-NE tn:Latn-ZA to:Latn-TO tog:Latn-MW tpi:Latn-PG tr:Latn-TR \
        tru:Latn-TR trv:Latn-TW trw:Arab-PK ts:Latn-ZA tsd:Grek-GR tsf:Deva-NP tsg:Latn-PH tsj:Tibt-BT tt:Cyrl-RU \
        ttj:Latn-UG tts:Thai-TH ttt:Latn-AZ tum:Latn-MW tvl:Latn-TV twq:Latn-NE txg:Tang-CN txo:Toto-IN ty:Latn-PF \
        tyv:Cyrl-RU tzm:Latn-MA udi:Aghb-RU udm:Cyrl-RU ug-Cyrl:Cyrl-KZ ug-KZ:Cyrl-KZ ug-MN:Cyrl-MN ug:Arab-CN \
        uga:Ugar-SY uk:Cyrl-UA uli:Latn-FM umb:Latn-AO unr-Deva:Deva-NP unr-NP:Deva-NP unr:Beng-IN unx:Beng-IN \
        ur:Arab-PK uz-AF:Arab-AF uz-Arab:Arab-AF uz-CN:Cyrl-CN uz:Latn-UZ vai:Vaii-LR ve:Latn-ZA vec:Latn-IT \
        vep:Latn-RU vi:Latn-VN vic:Latn-SX vls:Latn-BE vmf:Latn-DE vmw:Latn-MZ vo:Latn-001 vot:Latn-RU vro:Latn-EE \
        vun:Latn-TZ wa:Latn-BE wae:Latn-CH wal:Ethi-ET war:Latn-PH wbp:Latn-AU wbq:Telu-IN wbr:Deva-IN wls:Latn-WF \
        wni:Arab-KM wo:Latn-SN wsg:Gong-IN wtm:Deva-IN wuu:Hans-CN xav:Latn-BR xco:Chrs-UZ xcr:Cari-TR xh:Latn-ZA \
        xlc:Lyci-TR xld:Lydi-TR xmf:Geor-GE xmn:Mani-CN xmr:Merc-SD xna:Narb-SA xnr:Deva-IN xog:Latn-UG xpr:Prti-IR \
        xsa:Sarb-YE xsr:Deva-NP yao:Latn-MZ yap:Latn-FM yav:Latn-CM ybb:Latn-CM yi:Hebr-001 yo:Latn-NG yrl:Latn-BR \
        yua:Latn-MX yue-CN:Hans-CN yue-Hans:Hans-CN yue:Hant-HK za:Latn-CN zag:Latn-SD zdj:Arab-KM zea:Latn-NL \
        zgh:Tfng-MA zh-AU:Hant-AU zh-BN:Hant-BN zh-Bopo:Bopo-TW zh-GB:Hant-GB zh-GF:Hant-GF zh-HK:Hant-HK \
        zh-Hanb:Hanb-TW zh-Hant:Hant-TW zh-ID:Hant-ID zh-MO:Hant-MO zh-PA:Hant-PA zh-PF:Hant-PF zh-PH:Hant-PH \
        zh-SR:Hant-SR zh-TH:Hant-TH zh-TW:Hant-TW zh-US:Hant-US zh-VN:Hant-VN zh:Hans-CN zhx:Nshu-CN zkt:Kits-CN \
        zlm:Latn-TG zmi:Latn-MY zu:Latn-ZA zza:Latn-TR
        """

    /// `old:new`: other spellings of languages, one word each.
    static let aliases = """
        aam:aas aar:aa abk:ab adp:dz afr:af agp:apf ais:ami aju:jrb aka:ak als:sq amh:am ara:ar arb:ar arg:an asd:snz \
        asm:as aue:ktz ava:av ave:ae aym:ay ayr:ay ayx:nun aze:az azj:az bak:ba bam:bm baz:nvo bcc:bal bcl:bik bel:be \
        ben:bn bgm:bcg bh:bho bhk:fbl bic:bir bih:bho bis:bi bjd:drl bjq:bzc bkb:ebk blg:iba bod:bo bos:bs bre:br \
        btb:beb bul:bg bxk:luy bxr:bua cat:ca ccq:rki ces:cs cha:ch che:ce chu:cu chv:cv cjr:mom cka:cmr cld:syr \
        cmk:xch cmn:zh cnr:sr-ME cor:kw cos:co coy:pij cqu:quh cre:cr cwd:cr cym:cy daf:dnj dan:da dap:njz deu:de \
        dgo:doi dhd:mwr dik:din diq:zza dit:dif div:dv djl:dze dkl:aqd drh:mn drr:kzk drw:fa-AF dud:uth duj:dwu \
        dwl:dbt dzo:dz ekk:et ell:el elp:amq emk:man eng:en epo:eo esk:ik est:et eus:eu ewe:ee fao:fo fas:fa fat:ak \
        fij:fj fin:fi fra:fr fry:fy fuc:ff ful:ff gav:dev gaz:om gbc:wny gbo:grb gfx:vaj ggn:gvr ggo:esg ggr:gtu \
        gio:aou gla:gd gle:ga glg:gl gli:kzk glv:gv gno:gon grn:gn gti:nyc gug:gn guj:gu guv:duz gya:gba hat:ht \
        hau:ha hbs:sr-Latn hdn:hai hea:hmn heb:he her:hz him:srx hin:hi hmo:ho hrr:jal hrv:hr hun:hu hye:hy ibi:opa \
        ibo:ig ido:io iii:ii ike:iu iku:iu ile:ie ill:ilm ilw:gal in:id ina:ia ind:id ipk:ik isl:is ita:it iw:he \
        izi:eza jar:jgk jav:jv jeg:oyb ji:yi jpn:ja jw:jv kal:kl kan:kn kas:ks kat:ka kau:kr kaz:kk kdv:zkd kgc:tdf \
        kgd:ncq kgh:kml khk:mn khm:km kik:ki kin:rw kir:ky kmr:ku knc:kr kng:kg knn:kok koj:kwv kom:kv kon:kg kor:ko \
        kpp:jkm kpv:kv krm:bmf ktr:dtp kua:kj kur:ku kvs:gdj kwq:yam kxe:tvd kxl:kru kzh:dgl kzj:dtp kzt:dtp lao:lo \
        lat:la lav:lv lbk:bnc leg:enl lii:raq lim:li lin:ln lit:lt llo:ngt lmm:rmx ltz:lb lub:lu lug:lg lvs:lv mah:mh \
        mal:ml mar:mr meg:cir mgx:jbk mhr:chm mkd:mk mlg:mg mlt:mt mnk:man mnt:wnn mo:ro mof:xnt mol:ro mon:mn mri:mi \
        msa:ms mst:mry mup:raj mwd:dmw mwj:vaj mya:my myd:aog myt:mry nad:xny nau:na nav:nv nbf:nru nbl:nr nbx:ekc \
        ncp:kdz nde:nd ndo:ng nep:ne nld:nl nln:azd nlr:nrk nno:nn nns:nbr nnx:ngv no:nb nob:nb noo:dtd nor:no npi:ne \
        nts:pij nxu:bpp nya:ny oci:oc ojg:oj oji:oj ori:or orm:om ory:or oss:os oun:vaj pan:pa pat:kxr pbu:ps pcr:adx \
        pes:fa pli:pi plt:mg pmc:huw pmu:phr pnb:lah pol:pl por:pt ppa:bfy ppr:lcq prs:fa-AF pry:prt pus:ps puz:pub \
        que:qu quz:qu rmr:emx rmy:rom roh:rm ron:ro run:rn rus:ru sag:sg san:sa sap:aqt sca:hle scc:sr scr:hr sgl:isk \
        sh:sr-Latn sin:si skk:oyb slk:sk slv:sl sme:se smo:sm sna:sn snd:sd som:so sot:st spa:es spy:kln sqi:sq \
        src:sc srd:sc srp:sr ssw:ss sul:sgd sum:ulw sun:su swa:sw swc:sw-CD swe:sv swh:sw tah:ty tam:ta tat:tt \
        tdu:dtp tel:te tgg:bjp tgk:tg tgl:fil tha:th thc:tpo thw:ola thx:oyb tid:itd tie:ras tir:ti tkk:twm tl:fil \
        tlw:weo tmp:tyj tne:kak tnf:fa-AF ton:to tsf:taj tsn:tn tso:ts ttq:tmh tuk:tk tur:tr tw:ak twi:ak uig:ug \
        ukr:uk umu:del unp:wro uok:ema urd:ur uzb:uz uzn:uz ven:ve vie:vi vol:vo wgw:wgb wit:nol wiw:nwo wln:wa \
        wol:wo xba:cax xho:xh xia:acn xkh:waw xpe:kpe xrq:dmw xsj:suj xsl:den ybd:rki ydd:yi yen:ynq yid:yi yiy:yrm \
        yma:lrr ymt:mtm yor:yo yos:zom yuu:yug zai:zap zha:za zho:zh zir:scv zsm:ms zul:zu zyb:za
        """

    /// `child:parent`: the nearest relative where it is not the tag without its last part.
    static let parents = """
        en-150:en-001 en-AG:en-001 en-AI:en-001 en-AT:en-150 en-AU:en-001 en-BB:en-001 en-BE:en-150 en-BM:en-001 \
        en-BS:en-001 en-BW:en-001 en-BZ:en-001 en-CC:en-001 en-CH:en-150 en-CK:en-001 en-CM:en-001 en-CX:en-001 \
        en-CY:en-001 en-DE:en-150 en-DG:en-001 en-DK:en-150 en-DM:en-001 en-ER:en-001 en-FI:en-150 en-FJ:en-001 \
        en-FK:en-001 en-FM:en-001 en-GB:en-001 en-GD:en-001 en-GG:en-001 en-GH:en-001 en-GI:en-001 en-GM:en-001 \
        en-GY:en-001 en-HK:en-001 en-IE:en-001 en-IL:en-001 en-IM:en-001 en-IN:en-001 en-IO:en-001 en-JE:en-001 \
        en-JM:en-001 en-KE:en-001 en-KI:en-001 en-KN:en-001 en-KY:en-001 en-LC:en-001 en-LR:en-001 en-LS:en-001 \
        en-MG:en-001 en-MO:en-001 en-MS:en-001 en-MT:en-001 en-MU:en-001 en-MV:en-001 en-MW:en-001 en-MY:en-001 \
        en-NA:en-001 en-NF:en-001 en-NG:en-001 en-NL:en-150 en-NR:en-001 en-NU:en-001 en-NZ:en-001 en-PG:en-001 \
        en-PK:en-001 en-PN:en-001 en-PW:en-001 en-RW:en-001 en-SB:en-001 en-SC:en-001 en-SD:en-001 en-SE:en-150 \
        en-SG:en-001 en-SH:en-001 en-SI:en-150 en-SL:en-001 en-SS:en-001 en-SX:en-001 en-SZ:en-001 en-TC:en-001 \
        en-TK:en-001 en-TO:en-001 en-TT:en-001 en-TV:en-001 en-TZ:en-001 en-UG:en-001 en-VC:en-001 en-VG:en-001 \
        en-VU:en-001 en-WS:en-001 en-ZA:en-001 en-ZM:en-001 en-ZW:en-001 es-AR:es-419 es-BO:es-419 es-BR:es-419 \
        es-BZ:es-419 es-CL:es-419 es-CO:es-419 es-CR:es-419 es-CU:es-419 es-DO:es-419 es-EC:es-419 es-GT:es-419 \
        es-HN:es-419 es-MX:es-419 es-NI:es-419 es-PA:es-419 es-PE:es-419 es-PR:es-419 es-PY:es-419 es-SV:es-419 \
        es-US:es-419 es-UY:es-419 es-VE:es-419 pt-AO:pt-PT pt-CH:pt-PT pt-CV:pt-PT pt-FR:pt-PT pt-GQ:pt-PT \
        pt-GW:pt-PT pt-LU:pt-PT pt-MO:pt-PT pt-MZ:pt-PT pt-ST:pt-PT pt-TL:pt-PT zh-Hant-MO:zh-Hant-HK
        """
}
