/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags of an XML text one after another, as slices. No tree, no entities, no validation: enough for reports of numbers. */
#ifndef IMPORTERS_XML_SCAN_H
#define IMPORTERS_XML_SCAN_H

#include "importers/cells.h"

struct xml_scan {
    const char *p, *end;
    struct cell name;       /* of the tag found */
    struct cell attributes; /* its text behind the name */
    struct cell text;       /* trimmed, between the tag before and this one */
    bool is_end, is_empty;  /* </name>; <name/> */
};
/* Moves to the next tag; declarations and comments are stepped over. False at the end, or where a tag is cut. */
bool xml_next(struct xml_scan *xml);
bool xml_attribute(const struct xml_scan *xml, const char *name, struct cell *value);

#endif
