"""The rule table of validation: ids R01-R60, each with its text and the specification that it comes from.

A rule says what is wrong with a call; which property, set or parameter it is about stands in the ``EndpointContract``.
"""

from dataclasses import dataclass
from typing import Literal

Decided = Literal["metadata", "data", "request", "accepts"]

_PROTOCOL = "OData Protocol 4.01"
_URL = "OData URL Conventions 4.01"
_JSON = "OData JSON Format 4.01"
_CSDL = "OData CSDL XML 4.01"
_V2 = "OData 2.0"
_SAP = "SAP Annotations for OData 2.0"
_CAP = "Org.OData.Capabilities.V1"
_VALIDATION = "Org.OData.Validation.V1"
_COMMON = "com.sap.vocabularies.Common.v1"


@dataclass(frozen=True, slots=True)
class Rule:
    """``decided`` by: metadata alone; data (only a service can tell); the request as sent; or it only accepts."""

    id: str
    text: str
    source: str
    decided: Decided = "metadata"


_TABLE: tuple[Rule, ...] = (
    Rule("R01", "EntitySet, Singleton, operation or path segment exists", f"{_URL} 4; {_CSDL} 13"),
    Rule("R02", "the verb is allowed on the set", f"{_SAP} creatable/updatable/deletable; {_CAP}"),
    Rule("R03", "the set is addressable", f"{_SAP} addressable; {_PROTOCOL} 11.2"),
    Rule("R04", "the property is declared", f"{_CSDL} 7; {_PROTOCOL} 11.4.2"),
    Rule("R05", "an open type takes undeclared properties", f"{_CSDL} 6.3", "accepts"),
    Rule("R06", "a key that the client assigns is present", f"{_CSDL} 6.5; {_PROTOCOL} 11.4.2"),
    Rule("R07", "a non-nullable property without default is present on create", f"{_CSDL} 7.2.1"),
    Rule("R08", "a non-nullable property is not null", f"{_CSDL} 7.2.1"),
    Rule("R09", "a property required by annotation is present on create", f"{_CAP}.InsertRestrictions; {_COMMON}"),
    Rule("R10", "the property may be set on create", f"{_SAP} creatable; Org.OData.Core.V1.Computed; {_CAP}"),
    Rule("R11", "the property may be changed", f"{_SAP} updatable; Org.OData.Core.V1.Immutable; {_PROTOCOL} 11.4.3"),
    Rule("R12", "dynamic field control permits the property", f"{_SAP} field-control; {_COMMON}.FieldControl", "data"),
    Rule("R13", "Edm.String is a JSON string", f"{_JSON} 7.1"),
    Rule("R14", "the value is not longer than MaxLength", f"{_CSDL} 7.2.2"),
    Rule("R15", "the decimal fits Precision and Scale", f"{_CSDL} 7.2.3, 7.2.4"),
    Rule("R16", "Decimal and Int64 have their JSON form", f"{_JSON} 7.1; {_V2} JSON Format 4"),
    Rule("R17", "the integer is whole and in range", f"{_CSDL} 3.3"),
    Rule("R18", "Single and Double are numbers, INF, -INF or NaN", f"{_JSON} 7.1"),
    Rule("R19", "Edm.Boolean is true or false", f"{_JSON} 7.1"),
    Rule("R20", "Edm.DateTime has its JSON form and is a real day", f"{_V2} JSON Format 4; Overview 6"),
    Rule("R21", "Edm.Time and V2 DateTimeOffset have their JSON form", f"{_V2} JSON Format 4; Overview 6"),
    Rule("R22", "Date, TimeOfDay, DateTimeOffset and Duration have their JSON form", f"{_JSON} 7.1"),
    Rule("R23", "Guid and Binary have their JSON form", f"{_JSON} 7.1"),
    Rule("R24", "the enumeration has the member", f"{_CSDL} 10; {_JSON} 7.1"),
    Rule("R25", "the value is one of the allowed values", f"{_VALIDATION}.AllowedValues"),
    Rule("R26", "the code is in the fixed code list", f"{_SAP} value-list; {_COMMON}.ValueListWithFixedValues"),
    Rule("R27", "the code is in the open value list", f"{_SAP} value-list; {_COMMON}.ValueList", "data"),
    Rule("R28", "the code fits the values that it depends on", f"{_COMMON}.ValueListParameterIn", "data"),
    Rule("R29", "pattern and bounds are kept", f"{_VALIDATION}.Pattern, Minimum, Maximum"),
    Rule("R30", "an amount or quantity has its unit", f"{_SAP} unit; Org.OData.Measures.V1", "data"),
    Rule("R31", "a collection is a JSON array", f"{_JSON} 7.3"),
    Rule("R32", "a complex value is a JSON object", f"{_JSON} 7.2"),
    Rule("R33", "a navigation to many is an array, in V2 also under results", f"{_JSON} 8.1; {_V2} JSON Format 5"),
    Rule("R34", "a navigation to one is an object", f"{_JSON} 8.1"),
    Rule("R35", "a navigation that must have a target gets one", f"{_CSDL} 8.3"),
    Rule("R36", "entities may be nested here", f"{_CAP}.InsertRestrictions; {_PROTOCOL} 11.4.2.2, 11.4.3"),
    Rule("R37", "a nested foreign key agrees with its parent", f"{_CSDL} 8.5"),
    Rule("R38", "the referenced entity exists", f"{_PROTOCOL} 11.4.2.1", "data"),
    Rule("R39", "@odata.bind has the right shape and target set", f"{_JSON} 8.5; {_CSDL} 13.4"),
    Rule("R40", "references have the form of the version", f"{_JSON} 8.5; {_V2} JSON Format 9"),
    Rule("R41", "a contained entity is created through its parent", f"{_CSDL} 8.4"),
    Rule("R42", "a singleton is neither created nor deleted", f"{_CSDL} 13.3; {_PROTOCOL} 11.4"),
    Rule("R43", "@odata.type names a type derived from the declared one", f"{_JSON} 4.6.3"),
    Rule("R44", "the key predicate has the right names and literals", f"{_URL} 4.3.1"),
    Rule("R45", "literals have the form of the version", f"{_V2} URI Conventions; {_URL} 5.1.1.14"),
    Rule("R46", "$filter binds to properties, types and functions", f"{_URL} 5.1.2"),
    Rule("R47", "a required filter is given", f"{_SAP} required-in-filter, requires-filter; {_CAP}.FilterRestrictions"),
    Rule("R48", "$select, $expand and $orderby name declared members", f"{_URL} 5.1.3-5.1.5"),
    Rule("R49", "query options belong to the version", f"{_V2} URI Conventions 4; {_URL} 5.1"),
    Rule("R50", "system query options are known and well formed", f"{_URL} 5.1"),
    Rule("R51", "an operation gets its parameters and its method", f"{_PROTOCOL} 11.5; {_V2} m:HttpMethod"),
    Rule("R52", "a bound operation stands on its binding type", f"{_PROTOCOL} 11.5.1; {_CSDL} 12.6"),
    Rule("R53", "If-Match is sent where concurrency is controlled", f"{_PROTOCOL} 11.4.1.1", "request"),
    Rule("R54", "a write carries the CSRF token of its own session", "SAP Gateway CSRF protection", "request"),
    Rule("R55", "media type and version headers fit the service", f"{_PROTOCOL} 8.1", "request"),
    Rule("R56", "PUT replaces whole entities, PATCH and MERGE change parts", f"{_PROTOCOL} 11.4.3"),
    Rule("R57", "a change set holds writes only", f"{_PROTOCOL} 11.7; {_V2} Batch", "request"),
    Rule("R58", "control information is not data", f"{_JSON} 4.6", "accepts"),
    Rule("R59", "media and streams are not written as JSON", f"{_CSDL} 6.4; {_PROTOCOL} 11.4.7"),
    Rule("R60", "an active draft-enabled entity is not changed directly", f"{_COMMON}.DraftRoot"),
)

RULES: dict[str, Rule] = {rule.id: rule for rule in _TABLE}
