// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

package import Kit

/// A frame carries one message.
extension FrameChannel: MessageChannel {}
