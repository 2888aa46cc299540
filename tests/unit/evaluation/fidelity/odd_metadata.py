"""Metadata that breaks a rule of CSDL each, small enough to see what must be read from it."""

_V4 = """<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" xmlns:s="{sap}">
<edmx:DataServices><Schema Namespace="A" xmlns="http://docs.oasis-open.org/odata/ns/edm">{types}
<EntityContainer Name="C">{members}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"""
_OLD = """<edmx:Edmx Version="1.0" xmlns:edmx="http://schemas.microsoft.com/ado/2007/06/edmx"
 xmlns:m="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata" xmlns:s="{sap}">
<edmx:DataServices m:DataServiceVersion="{version}"><Schema Namespace="A" xmlns="{edm}">{types}
<EntityContainer Name="C">{members}</EntityContainer></Schema></edmx:DataServices></edmx:Edmx>"""
_SAP = "http://www.sap.com/Protocols/SAPData"
_EDM = {"2.0": "http://schemas.microsoft.com/ado/2008/09/edm", "3.0": "http://schemas.microsoft.com/ado/2009/11/edm"}
_T = '<EntityType Name="T"><Key><PropertyRef Name="ID"/></Key><Property Name="ID" Type="Edm.String"/>{}</EntityType>'
_ASSOCIATION = """<Association Name="R"><End Role="a" Type="A.T" Multiplicity="1"/><End Role="b" Type="A.T"
 Multiplicity="*"/><ReferentialConstraint><Principal Role="{0}"><PropertyRef Name="ID"/></Principal>
 <Dependent Role="{1}"><PropertyRef Name="ID"/></Dependent></ReferentialConstraint></Association>"""
_NAVIGATION = '<NavigationProperty Name="N" Relationship="A.R" FromRole="a" ToRole="b"/>'


def v4(types: str = "", members: str = "") -> bytes:
    """A document of V4."""
    return _V4.format(types=types, members=members, sap=_SAP).encode()


def old(types: str = "", members: str = "", version: str = "2.0") -> bytes:
    """A document of V2 or V3."""
    return _OLD.format(types=types, members=members, version=version, edm=_EDM[version], sap=_SAP).encode()


def entity(members: str = "") -> str:
    """An EntityType ``T`` with the key ``ID`` and more members."""
    return _T.format(members)


def association(principal: str, dependent: str) -> str:
    """An Association ``R`` with those roles in its constraint, twice, and a type that navigates along it."""
    text = _ASSOCIATION.format(principal, dependent)
    return f"{entity(_NAVIGATION)}{text}{text.replace('*', '1')}"


ODD = {
    "member-twice": v4(
        '<EnumType Name="E"><Member Name="A" Value="3"/><Member Name="A"/><Member Name="B"/></EnumType>'
    ),
    "member-value": v4('<EnumType Name="E"><Member Name="A" Value=" 7 "/><Member Name="B" Value="1_0"/></EnumType>'),
    "facet-forms": v4(entity('<Property Name="P" MaxLength="+5" Precision="1_0" Scale=" 2 "/>')),
    "facet-too-long": v4(entity(f'<Property Name="P" MaxLength="{"9" * 5000}"/>')),
    "no-types": v4(
        '<TypeDefinition Name="D"/><Function Name="F"><ReturnType/></Function>' + entity('<Property Name="P"/>')
    ),
    "empty-collection": v4(entity('<Property Name="P" Type="Collection()"/>')),
    "property-and-navigation": v4(
        entity('<NavigationProperty Name="P" Type="A.T"/><Property Name="P" Type="Edm.String" Nullable="false"/>')
    ),
    "type-and-enum": v4(f'{entity()}<EnumType Name="T"><Member Name="A"/></EnumType><ComplexType Name="T"/>'),
    "duplicate-with-annotations": v4(
        entity() + '<EntityType Name="T"><Annotation Term="Org.OData.Core.V1.Description" String="x"/></EntityType>'
    ),
    "set-and-import": v4(
        f'{entity()}<Function Name="F"><ReturnType Type="Edm.String"/></Function>',
        '<EntitySet Name="X" EntityType="A.T"/><FunctionImport Name="X" Function="A.F"/>',
    ),
    "bound-twice": v4(
        entity('<NavigationProperty Name="N" Type="A.T"/>'),
        '<EntitySet Name="X" EntityType="A.T"><NavigationPropertyBinding Path="N" Target="X"/>'
        '<NavigationPropertyBinding Path="N" Target="Y"/></EntitySet><EntitySet Name="Y" EntityType="A.T"/>',
    ),
    "nameless": v4(
        '<Action/><Function Name=""/><Action Name="B" IsBound="true"><Parameter Type="A.T"/><Parameter Name="p"/>'
        '<Parameter Name="p" Type="Edm.Int32"/></Action>',
        '<ActionImport Name="I"/><EntitySet Name="X"/>',
    ),
    "names-with-dots": v4(entity(), '<EntitySet Name="a.b" EntityType="A.T"/>'),
    "sap-in-v4": v4(
        entity('<NavigationProperty Name="N" Type="A.T" s:creatable="false"/>')
        + '<Action Name="B"><Parameter Name="p" s:label="P"/></Action>',
        '<EntitySet Name="X" EntityType="A.T" s:addressable="false"/><ActionImport Name="I" Action="A.B" s:label="I"/>',
    ),
    "annotated-before": v4(
        '<Annotations Target="A.T/ID"><Annotation Term="Org.OData.Core.V1.Description" String="outside"/></Annotations>'
        '<EntityType Name="T"><Property Name="ID" Type="Edm.String">'
        '<Annotation Term="Org.OData.Core.V1.Description" String="inside"/></Property></EntityType>'
    ),
    "value-left-out": v4(
        entity(),
        '<EntitySet Name="X" EntityType="A.T"><Annotation Term="Org.OData.Capabilities.V1.InsertRestrictions"><Record>'
        '<PropertyValue Property="Insertable"/></Record></Annotation></EntitySet>',
    ),
    "association-twice": old(association("a", "b")),
    "association-of-other-roles": old(association("x", "y")),
    "association-of-one-role": old(association("b", "b")),
    "v4-words-in-v2": old(
        entity('<NavigationProperty Name="N" Type="A.T" Partner="M" ToRole="b"/>'),
        '<EntitySet Name="X" EntityType="A.T"><NavigationPropertyBinding Path="N" Target="X"/></EntitySet>',
    ),
    "no-container-name": old(entity()).replace(b' Name="C"', b""),
    "v3-return-type": old(
        entity(),
        '<FunctionImport Name="F" MaxLength="1"><ReturnType Type="Edm.String" MaxLength="7"/></FunctionImport>',
        "3.0",
    ),
    "v3-reference": old(version="3.0").replace(b"<edmx:DataS", b'<edmx:Reference Url="other.xml"/><edmx:DataS'),
}
