"""Words of business goals, by language, as canonical English tokens: data for the planner, no logic.

Keys are casefolded without accents (``planning.text.fold``). A value may be several tokens, so that German compounds meet
English labels. Units and currencies are names of codes; a code list of the service always has the last word.
"""


def word_set(text: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(text.split())


# Same thing, other word. Applied to goals and to labels alike, so either side may use either word.
SYNONYMS: dict[str, str] = {
    # English
    "vendor": "supplier", "client": "customer", "buyer": "customer", "article": "product", "material": "product",
    "position": "item", "line": "item", "goods": "goods", "qty": "quantity", "bill": "invoice", "amount": "amount",
    "org": "organization", "organisation": "organization", "centre": "center", "cust": "customer", "req": "requisition",
    "po": "purchase order", "so": "sales order", "pr": "purchase requisition", "gl": "g l", "doc": "document",
    "ref": "reference", "mat": "product", "dlv": "delivery", "deliv": "delivery", "purch": "purchasing", "cur": "currency",
    "curr": "currency", "descr": "description", "desc": "description", "id": "id", "num": "number", "no": "number",
    "nr": "number", "grp": "group", "acct": "account", "purg": "purchasing", "div": "division", "sup": "supplier",
    "warehouse": "warehouse", "factory": "plant", "site": "plant", "offer": "quotation", "quote": "quotation",
    "parcel": "handling unit", "box": "handling unit", "shipment": "delivery", "measure": "measure", "uom": "unit",
    "sloc": "storage location", "bp": "business partner", "qtn": "quotation", "inv": "invoice", "pymt": "payment",
    "schedule": "schedule", "requested": "requested", "dates": "date", "firm": "name", "company": "company",
    "billing": "billing", "requester": "requisitioner", "stock": "stock", "town": "city", "zip": "postal code",
    "postcode": "postal code", "mail": "email", "e-mail": "email",
    # German
    "kunde": "customer", "kunden": "customer", "kundin": "customer", "debitor": "customer", "auftraggeber": "customer",
    "lieferant": "supplier", "lieferanten": "supplier", "kreditor": "supplier", "geschaftspartner": "business partner",
    "produkt": "product", "artikel": "product", "ware": "goods", "menge": "quantity", "stuckzahl": "quantity",
    "auftrag": "order", "kundenauftrag": "sales order", "verkaufsauftrag": "sales order", "auftrage": "order",
    "kundenauftrage": "sales order", "bestellung": "purchase order", "bestellungen": "purchase order",
    "lieferung": "delivery", "auslieferung": "outbound delivery", "anlieferung": "inbound delivery",
    "rechnung": "invoice", "lieferantenrechnung": "supplier invoice", "eingangsrechnung": "supplier invoice",
    "faktura": "billing document", "angebot": "quotation", "anfrage": "inquiry", "buchungskreis": "company code",
    "werk": "plant", "lagerort": "storage location", "verkaufsorganisation": "sales organization",
    "vertriebsweg": "distribution channel", "sparte": "division", "einkaufsorganisation": "purchasing organization",
    "einkaufergruppe": "purchasing group", "warengruppe": "product group", "wahrung": "currency", "preis": "price",
    "betrag": "amount", "datum": "date", "lieferdatum": "delivery date", "liefertermin": "delivery date",
    "buchungsdatum": "posting date", "belegdatum": "document date", "belegnummer": "document number",
    "zahlungsbedingung": "payment terms", "zahlungsbedingungen": "payment terms", "zahlsperre": "payment block",
    "zahlungssperre": "payment block", "skontotage": "discount day", "verschoben": "shifted", "mahndaten": "dunning",
    "mahnung": "dunning", "adresse": "address", "anschrift": "address", "strasse": "street", "ort": "city", "land": "country",
    "postleitzahl": "postal code", "plz": "postal code", "sprache": "language", "kontonummer": "account number",
    "bankverbindung": "bank", "bank": "bank", "branche": "industry sector", "basismengeneinheit": "base unit",
    "mengeneinheit": "unit", "einheit": "unit", "produktart": "product type", "materialart": "product type",
    "auftragsart": "order type", "bestellart": "purchase order type", "belegart": "document type", "grund": "reason",
    "kostenstelle": "cost center", "sachkonto": "g l account", "bestellanforderung": "purchase requisition",
    "banf": "purchase requisition", "wareneingang": "goods receipt", "warenausgang": "goods issue", "zeile": "item",
    "zeilen": "item", "positionen": "item", "bestellnummer": "purchase order", "kundenreferenz": "customer reference",
    "referenz": "reference", "nummer": "number", "bezeichnung": "description", "beschreibung": "description",
    "versandstelle": "shipping point", "retoure": "return", "gutschrift": "credit memo", "steuernummer": "tax number",
    "geschaftsjahr": "fiscal year", "jahr": "year", "termine": "date", "bestatigte": "confirmed", "preise": "price",
    "lager": "warehouse", "bestand": "stock", "zahlung": "payment", "brutto": "gross", "netto": "net", "steuer": "tax",
    "rechnungsdatum": "invoice date", "rechnungsnummer": "invoice number", "kommentar": "comment", "text": "text",
    # Hindi, Gujarati
    "खरीद": "purchase", "आदेश": "order", "पंक्तियाँ": "item", "पंक्ति": "item", "क़ीमतें": "price",
    "कीमत": "price", "उत्पाद": "product", "संयंत्र": "plant", "ग्राहक": "customer", "आपूर्तिकर्ता": "supplier",
    "પ્લાન્ટ": "plant", "ઉત્પાદન": "product", "સ્ટોક": "stock", "ગ્રાહક": "customer", "સપ્લાયર": "supplier",
    "ખરીદી": "purchase", "ઓર્ડર": "order", "ભરતિયું": "invoice",
    "notiz": "note", "gruppe": "group", "ansprechpartner": "contact", "projekt": "project",
    "fecha": "date", "solicitada": "requested", "achat": "purchase", "lignes": "item", "ligne": "item", "livrees": "delivered",
    "bon": "document", "date": "date", "societe": "company", "compra": "purchase", "lineas": "item", "linea": "item",
    "gruppierung": "grouping", "rolle": "role", "rollen": "role", "typ": "type", "art": "type",
    "vertriebsbereich": "sales area", "retouren": "return", "skonto": "discount", "rabatt": "discount",
    # French, Spanish, Italian, Portuguese, Dutch: the nouns that name documents and parties
    "fournisseur": "supplier", "client(e)": "customer", "commande": "order", "facture": "invoice", "livraison": "delivery",
    "produit": "product", "quantite": "quantity", "prix": "price", "devise": "currency", "usine": "plant",
    "proveedor": "supplier", "cliente": "customer", "pedido": "order", "factura": "invoice", "entrega": "delivery",
    "producto": "product", "cantidad": "quantity", "precio": "price", "moneda": "currency", "centro": "plant",
    "fornitore": "supplier", "ordine": "order", "fattura": "invoice", "consegna": "delivery", "prodotto": "product",
    "fornecedor": "supplier", "fatura": "invoice", "produto": "product", "quantidade": "quantity",
    "leverancier": "supplier", "klant": "customer", "factuur": "invoice", "levering": "delivery", "aantal": "quantity",
}  # fmt: skip

# Several words that mean one thing together; the words between them that carry nothing are passed over.
PHRASES: dict[tuple[str, ...], str] = {
    ("pedido", "cliente"): "sales order", ("pedido", "compra"): "purchase order", ("orden", "compra"): "purchase order",
    ("commande", "achat"): "purchase order", ("commande", "client"): "sales order",
    ("bon", "livraison"): "delivery note", ("nota", "entrega"): "delivery note", ("ordine", "acquisto"): "purchase order",
    ("खरीद", "आदेश"): "purchase order", ("બિક્રી", "ઓર્ડર"): "sales order", ("ખરીદી", "ઓર્ડર"): "purchase order",
}  # fmt: skip

# verb -> (what a step does, nouns it stands for when the goal names none)
VERBS: dict[str, tuple[str, str]] = {
    # create
    "create": ("create", ""), "enter": ("create", ""), "raise": ("create", ""), "make": ("create", ""),
    "open": ("create", ""), "add": ("create", ""), "register": ("create", ""), "record": ("create", ""),
    "issue": ("create", ""), "place": ("create", ""), "draft": ("create", ""), "put in": ("create", ""),
    "set up": ("create", ""), "write": ("create", ""), "request": ("create", ""), "book": ("action", "post"),
    "park": ("create", "supplier invoice"), "extend": ("create", ""), "give": ("create", ""),
    "buy": ("create", "purchase order"), "order": ("create", "purchase order"), "purchase": ("create", "purchase order"),
    "procure": ("create", "purchase order"), "offer": ("create", "quotation"), "sell": ("create", "sales order"),
    "ship": ("create", "outbound delivery"), "deliver": ("create", "outbound delivery"), "need": ("create", "requisition"),
    "takes": ("create", "sales order"), "wants": ("create", "sales order"), "returns": ("create", "return"),
    "turn": ("create", ""), "convert": ("create", ""), "announces": ("create", "inbound delivery"),
    "announce": ("create", "inbound delivery"), "invoice": ("create", "invoice"), "delivers": ("create", "goods receipt"),
    "reserve": ("create", "reservation"), "report": ("create", ""), "log": ("create", ""),
    "eroffnen": ("create", ""), "registrieren": ("create", ""), "beantragen": ("create", "requisition"),
    "liefern": ("create", "delivery"), "bestell": ("create", "purchase order"), "anbieten": ("create", "quotation"),
    "anlegen": ("create", ""), "lege": ("create", ""), "erfasse": ("create", ""), "erfassen": ("create", ""),
    "erstelle": ("create", ""), "erstellen": ("create", ""), "bestelle": ("create", "purchase order"),
    "bestellen": ("create", "purchase order"), "kaufe": ("create", "purchase order"), "liefere": ("create", "delivery"),
    "hinzufugen": ("create", ""), "eroffne": ("create", ""), "crea": ("create", ""), "creer": ("create", ""),
    "cree": ("create", ""), "crear": ("create", ""), "criar": ("create", ""), "commander": ("create", "purchase order"),
    "commandez": ("create", "purchase order"), "bestel": ("create", "purchase order"),
    # read
    "show": ("read", ""), "find": ("read", ""), "list": ("read", ""), "read": ("read", ""), "get": ("read", ""),
    "display": ("read", ""), "look": ("read", ""), "which": ("read", ""), "what": ("read", ""), "check": ("read", ""),
    "search": ("read", ""), "fetch": ("read", ""), "tell": ("read", ""), "how": ("read", ""), "compare": ("read", ""),
    "where": ("read", ""), "see": ("read", ""), "who": ("read", ""), "when": ("read", ""), "retrieve": ("read", ""),
    "verify": ("read", ""), "is": ("read", ""), "are": ("read", ""), "does": ("read", ""), "report on": ("read", ""),
    "prufen": ("read", ""), "zeigen": ("read", ""), "finden": ("read", ""), "ansehen": ("read", ""), "nachsehen": ("read", ""),
    "anzeigen": ("read", ""), "zeige": ("read", ""), "zeig": ("read", ""), "finde": ("read", ""), "suche": ("read", ""),
    "suchen": ("read", ""), "ermitteln": ("read", ""), "lies": ("read", ""), "lesen": ("read", ""), "liste": ("read", ""),
    "welche": ("read", ""), "welcher": ("read", ""), "welches": ("read", ""), "wie": ("read", ""), "wo": ("read", ""),
    "prufe": ("read", ""), "montre": ("read", ""), "affiche": ("read", ""), "muestra": ("read", ""), "mostra": ("read", ""),
    "toon": ("read", ""), "busca": ("read", ""), "quelles": ("read", ""), "quels": ("read", ""), "combien": ("read", ""),
    "दिखाओ": ("read", ""), "दिखाएँ": ("read", ""), "કેટલો": ("read", ""), "બતાવો": ("read", ""), "cuantos": ("read", ""),
    # update
    "change": ("update", ""), "update": ("update", ""), "set": ("update", ""), "fix": ("update", ""),
    "modify": ("update", ""), "correct": ("update", ""), "adjust": ("update", ""), "move": ("update", ""),
    "assign": ("update", ""), "replace": ("update", ""), "rename": ("update", ""), "raise to": ("update", ""),
    "close": ("update", ""), "block": ("update", ""), "mark": ("update", ""), "postpone": ("update", ""),
    "increase": ("update", ""), "reduce": ("update", ""), "edit": ("update", ""),
    "andere": ("update", ""), "andern": ("update", ""), "aktualisiere": ("update", ""), "setze": ("update", ""),
    "setzen": ("update", ""), "sperre": ("update", ""), "modifie": ("update", ""), "cambia": ("update", ""),
    "wijzig": ("update", ""),
    # delete
    "delete": ("delete", ""), "remove": ("delete", ""), "losche": ("delete", ""), "loschen": ("delete", ""),
    "entferne": ("delete", ""), "supprime": ("delete", ""), "elimina": ("delete", ""), "verwijder": ("delete", ""),
    # operations, found by their names
    "release": ("action", "release"), "approve": ("action", "release approve"), "reject": ("action", "reject"),
    "refuse": ("action", "reject"), "post": ("action", "post"), "cancel": ("action", "cancel"),
    "reverse": ("action", "reverse"), "pick": ("action", "pick"), "confirm": ("action", "confirm"),
    "validate": ("action", "validate"), "run": ("action", ""), "discard": ("action", "discard"),
    "take off": ("action", "discard"), "lift": ("action", "release"), "unblock": ("action", "release"),
    "submit for": ("action", "submit"), "putaway": ("action", "putaway"), "put away": ("action", "putaway"),
    "agreed": ("action", "release"), "withdraw": ("action", "withdraw"), "activate": ("action", "activate"),
    "pay": ("action", "pay"), "bill": ("action", "bill"), "transfer": ("action", "transfer"),
    "receive": ("action", "receive"), "close out": ("action", "close"), "complete": ("action", "complete"),
    "settle": ("action", "settle"), "simulate": ("action", "simulate"),
    "genehmigen": ("action", "release approve"), "ablehnen": ("action", "reject"), "kommissionieren": ("action", "pick"),
    "fakturieren": ("action", "bill"), "einreichen": ("action", "submit"), "submit": ("action", "submit"),
    "buchen": ("action", "post"), "buche": ("action", "post"), "freigeben": ("action", "release"),
    "gib": ("action", "release"), "aufheben": ("action", "release"), "storniere": ("action", "cancel"),
    "stornieren": ("action", "cancel"), "genehmige": ("action", "release"), "kommissioniere": ("action", "pick"),
    "bestatige": ("action", "confirm"), "bestatigen": ("action", "confirm"), "annule": ("action", "cancel"),
    "anula": ("action", "cancel"), "annuler": ("action", "cancel"), "confirme": ("action", "confirm"),
}  # fmt: skip

# Words that carry no business meaning next to a value.
FILLERS = word_set(
    """a an the of in on at to for from with and or by is are be it its his her this that these those as into per each
    all any please now then also over not no we i you they he she me my our your their will shall should must has have
    had was were number value code equal equals = : one two three der die das den dem des ein eine einen einem einer
    und oder mit von vom zum zur im am an auf fur bei nach ist sind als le la les un une de des du et avec pour el
    los las y con del al se su zu je bei dieser diese dieses para il lo gli e di per o het en van voor met"""
)

# unit word -> common unit code (used only where the service gives no code list with a text for it)
UNITS: dict[str, str] = {
    "piece": "PC", "pieces": "PC", "pc": "PC", "pcs": "PC", "stuck": "PC", "stk": "PC", "st": "PC", "piezas": "PC",
    "pieza": "PC", "pezzi": "PC", "stuks": "PC", "pieces(s)": "PC",
    "each": "EA", "ea": "EA", "unit": "EA", "units": "EA", "unidades": "EA",
    "kilogram": "KG", "kilograms": "KG", "kg": "KG", "kilo": "KG", "kilos": "KG", "kilogramm": "KG", "kilogrammes": "KG",
    "gram": "G", "grams": "G", "g": "G", "gramm": "G", "ton": "TO", "tons": "TO", "tonnes": "TO", "tonnen": "TO",
    "liter": "L", "liters": "L", "litre": "L", "litres": "L", "l": "L", "meter": "M", "meters": "M", "metre": "M",
    "metres": "M", "m": "M", "hour": "H", "hours": "H", "h": "H", "stunde": "H", "stunden": "H", "heures": "H",
    "day": "DAY", "days": "DAY", "carton": "CAR", "cartons": "CAR", "karton": "CAR", "kartons": "CAR", "box": "BOX",
    "boxes": "BOX", "pallet": "PAL", "pallets": "PAL", "palette": "PAL", "paletten": "PAL", "set": "SET", "sets": "SET",
}  # fmt: skip

# currency word -> ISO 4217 code
CURRENCIES: dict[str, str] = {
    "euro": "EUR", "euros": "EUR", "eur": "EUR", "€": "EUR", "dollar": "USD", "dollars": "USD", "us dollar": "USD",
    "us dollars": "USD", "usd": "USD", "$": "USD", "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "£": "GBP",
    "pound sterling": "GBP", "pounds sterling": "GBP", "franc": "CHF", "francs": "CHF", "franken": "CHF",
    "schweizer franken": "CHF", "swiss franc": "CHF", "swiss francs": "CHF", "chf": "CHF",
    "yen": "JPY", "jpy": "JPY", "¥": "JPY", "yuan": "CNY", "cny": "CNY", "rupee": "INR", "rupees": "INR", "inr": "INR",
    "indian rupees": "INR", "₹": "INR", "krona": "SEK", "sek": "SEK", "zloty": "PLN", "pln": "PLN", "real": "BRL",
    "brl": "BRL", "turkish lira": "TRY", "lira": "TRY", "try": "TRY", "czk": "CZK", "huf": "HUF", "dkk": "DKK",
    "nok": "NOK", "cad": "CAD", "canadian dollars": "CAD", "aud": "AUD", "australian dollars": "AUD",
}  # fmt: skip

MONTHS: dict[str, int] = {
    "january": 1, "jan": 1, "januar": 1, "janvier": 1, "enero": 1, "february": 2, "feb": 2, "februar": 2, "fevrier": 2,
    "febrero": 2, "march": 3, "mar": 3, "marz": 3, "mars": 3, "marzo": 3, "april": 4, "apr": 4, "avril": 4, "abril": 4,
    "may": 5, "mai": 5, "mayo": 5, "june": 6, "jun": 6, "juni": 6, "juin": 6, "junio": 6, "july": 7, "jul": 7, "juli": 7,
    "juillet": 7, "julio": 7, "august": 8, "aug": 8, "aout": 8, "agosto": 8, "september": 9, "sep": 9, "sept": 9,
    "septembre": 9, "septiembre": 9, "october": 10, "oct": 10, "oktober": 10, "okt": 10, "octobre": 10, "octubre": 10,
    "november": 11, "nov": 11, "novembre": 11, "noviembre": 11, "december": 12, "dec": 12, "dezember": 12, "dez": 12,
    "decembre": 12, "diciembre": 12,
}  # fmt: skip

LEGAL_FORMS = word_set(
    """gmbh ag kg ohg se ltd limited inc llc plc corp co sa sas sarl srl spa bv nv ab oy as aps kft"""
)

# Words in front of a date that say which date it is; readings are tried in order.
DATE_WORDS: dict[str, tuple[str, ...]] = {
    "dated": ("document date", "invoice date", "date"), "posted": ("posting date",), "of": ("document date",),
    "needed": ("delivery date", "required date", "requested delivery date"), "until": ("valid to", "validity end date"),
    "expected": ("delivery date", "expected date"), "due": ("due date",), "valid": ("valid to", "validity end date"),
    "wanted": ("requested delivery date", "delivery date"), "requested": ("requested delivery date", "delivery date"),
    "by": ("requested delivery date", "delivery date"), "bis": ("delivery date", "valid to"),
    "zum": ("delivery date",), "vom": ("document date",),
}  # fmt: skip

NEGATIONS = word_set("not without no never ohne nicht kein keine sans sin")
