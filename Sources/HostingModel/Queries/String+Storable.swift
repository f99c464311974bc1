// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension String {
    /// Whether every database can keep the text, or be asked for it: PostgreSQL has no place for U+0000, so that no identifier
    /// and no value has it here.
    package var isStorable: Bool { !utf8.contains(0) }
}
